import unicodedata

import pytest

from engine.text.g2p.other_languages.text import normalize_other
from engine.text.g2p.other_languages.writing import writing_of
from engine.text.languages import FRENCH, HINDI, ITALIAN, JAPANESE, LANGUAGES, MANDARIN, PORTUGUESE, SPANISH, Language


def normal(text: str, language: Language, spoken: str = "😀") -> str:
    return normalize_other(
        text, language, writing_of(language), lambda symbol: symbol in spoken or symbol.isdigit()
    ).sourced.text


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (SPANISH, "¿Qué tal? ¡Bien!", "Qué tal? Bien!"),
        (SPANISH, "El Sr. Gómez vive en la Av. Mayor, etc.", "El señor Gómez vive en la avenida Mayor, etcétera."),
        (SPANISH, "Llegó a EE. UU. en 200 a. C. y", "Llegó a Estados Unidos en 200 antes de Cristo y"),
        (SPANISH, "Cuesta $5, 45,50 € o R$ 3.", "Cuesta 5 dólares, 45,50 euros o 3 reales."),
        (SPANISH, "Hay -5 grados; del 3-5.", "Hay menos 5 grados; del 3-5."),
        (SPANISH, "J. R. R. Tolkien", "J R R Tolkien"),
        (SPANISH, "bien-estar, €-zona y [Kokoro](/kˈokoɾo/)-san", "bien-estar, € zona y Kokoro-san"),
        (HINDI, "₹-आज और आदि-अंत, '-आज", "₹ आज और आदि-अंत, ' आज"),
        (JAPANESE, "1,000,000円と1,23", "1000000円と1,23"),
        (MANDARIN, "¥1,234.5", "1234.5元"),
        (FRENCH, "« Bonjour ! » dit-il : « ça va ? »", "“Bonjour!” dit-il: “ça va?”"),
        (FRENCH, "à 15h30, 8 h, 1 h et 9 h 05", "à 15 heures 30, 8 heures, 1 heure et 9 heures 05"),
        (FRENCH, "le n° 5 de 100 h ; 3 hommes", "le numéro 5 de 100 heures; 3 hommes"),
        (ITALIAN, "il 1° maggio, n. 5 e n° 6", "il primo maggio, numero 5 e numero 6"),
        (ITALIAN, "la sig.ra e il dott. Bo", "la signora e il dottor Bo"),
        (PORTUGUESE, "às 15h30 e às 9h", "às 15 horas e 30 e às 9 horas"),
        (FRENCH, "M. Dupont et Mme Roy", "monsieur Dupont et Mme Roy"),
        (FRENCH, "l’homme… … fin", "l'homme… fin"),
        (HINDI, "नमस्ते। आप कैसे हैं॥", "नमस्ते. आप कैसे हैं."),
        (HINDI, "डॉ. शर्मा ने ₹50 दिए", "डॉक्टर शर्मा ने 50 रुपये दिए"),
        (ITALIAN, "Il Sig. Rossi - e la Sig.ra Bianchi", "Il signor Rossi—e la signora Bianchi"),
        (PORTUGUESE, "R$ 10,50 [sic] {x}", "10,50 reais (sic) (x)"),
        (JAPANESE, "「はい」と、言った。東京・大阪！", "“はい” と, 言った. 東京 大阪!"),
        (JAPANESE, "ＮＨＫは¥１５００", "NHKは1500円"),
        (MANDARIN, "《红楼梦》是小说；（好）…", "“红楼梦” 是小说; (好)…"),
    ],
)
def test_writing_of_each_language(language, text, expected):
    assert normal(text, language) == expected


def test_rules_of_english_are_not_applied():
    assert normal("Dr. No, May 5, 3 ft", SPANISH) == "doctor No, May 5, 3 ft"
    assert normal("Il costa 5 lb et 2th", FRENCH) == "Il costa 5 lb et 2th"


def test_foreign_letters_and_silent_symbols_are_left_out_with_a_notice():
    text = "Di Привет y 你好 и ☃ 😀 fin"
    found = normalize_other(text, SPANISH, writing_of(SPANISH), lambda symbol: symbol == "😀")
    assert found.sourced.text == "Di Privet y i 😀 fin"
    told = [(text[notice.start : notice.end], notice.message) for notice in found.notices]
    assert sorted(part for part, _ in told) == ["Привет", "и", "☃", "你好"]
    assert any("can’t be spoken in Spanish and is skipped" in message for _, message in told)


def test_markup_and_pronunciations_are_taken_off():
    found = normalize_other("# Título\n\n**Hola** [Kokoro](/kokˈoɾo/).", SPANISH, writing_of(SPANISH), bool)
    assert found.sourced.text == "Título.\nHola Kokoro."
    (override,) = found.overrides
    assert found.sourced.text[override.start : override.end] == "Kokoro"
    assert override.phonemes == "kokˈoɾo"


def test_the_source_of_a_question_begins_with_its_opening_mark():
    sourced = normalize_other("¿Qué?", SPANISH, writing_of(SPANISH), bool).sourced
    assert sourced.source_span(0, 1).start == 0


def test_endless_words_are_parted():
    assert max(map(len, normal("ñ" * 200, SPANISH).split())) == 45
    assert " " not in normal("字" * 200, MANDARIN)


OTHERS = [language for language in LANGUAGES if not language.english]


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.tag)
def test_words_are_in_the_letters_of_the_language(language):
    writing = writing_of(language)
    words = [*writing.abbreviations.values(), writing.minus]
    words += [name for unit in writing.units.values() for name in (unit.one, unit.many)]
    letters = {letter for word in words for letter in word if letter.isalpha()}
    assert {unicodedata.name(letter).split(" ")[0] for letter in letters} <= set(writing.scripts)
    assert all(words)


def test_only_japanese_and_mandarin_have_no_spaces():
    assert [language.tag for language in OTHERS if not writing_of(language).spaced] == ["ja", "zh"]


@pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.tag)
def test_abbreviations_are_written_without_their_last_dot(language):
    assert not any(short.endswith(".") for short in writing_of(language).abbreviations)
