import re
import subprocess
import sys
import tomllib
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from misaki.espeak import EspeakG2P

from engine.config import ModelConfig
from engine.errors import MissingLanguage, NothingToSpeak
from engine.system.paths import project_folder
from engine.text.g2p import Phonemizer
from engine.text.g2p.other_languages import front_end
from engine.text.g2p.other_languages.front_end import (
    ESPEAK_NAMES,
    PACKAGES,
    OtherFrontEnd,
    check_installed,
    load_speak,
    readable_japanese,
    readable_mandarin,
    shared_spans,
    with_latin_words,
    with_rare_characters,
)
from engine.text.g2p.split import sentences
from engine.text.languages import FRENCH, HINDI, ITALIAN, JAPANESE, LANGUAGES, MANDARIN, PORTUGUESE, SPANISH, Language
from tests.engine.text.g2p.conftest import CONFIG
from tests.engine.text.g2p.test_phonemizer import calls_made, check_plan

SENTENCES = {
    SPANISH: (
        "Todos los seres humanos nacen libres e iguales en dignidad y derechos.",
        "Ayer fuimos al mercado, compramos pan y volvimos a casa.",
        "No sé qué decir, pero creo que tienes razón.",
        "La guitarra suena muy bien esta noche.",
        "En invierno hace frío y llueve mucho en el norte.",
        "Me gusta el café con leche; a ti te gusta el té.",
        "Mañana por la mañana saldremos hacia Guadalajara.",
        "Mi hermana vive en una ciudad pequeña cerca del mar.",
        "El niño comió una manzana y después jugó en el jardín.",
        "Los estudiantes leen 25 libros de historia: todos!",
    ),
    FRENCH: (
        "Tous les êtres humains naissent libres et égaux en dignité et en droits.",
        "Le chat dort sur le canapé près de la fenêtre.",
        "Nous avons mangé du pain, du fromage et des pommes.",
        "Ma sœur habite dans une petite ville au bord de la mer.",
        "Il fait beau aujourd'hui, mais il pleuvra demain.",
        "Les enfants jouent dans le jardin derrière la maison.",
        "Je ne sais pas quoi dire; pourtant tu as raison.",
        "Elle a oublié son parapluie dans le train.",
        "L'hiver dernier, la neige est tombée pendant 3 jours.",
        "Où est la gare la plus proche?",
    ),
    HINDI: (
        "सभी मनुष्य जन्म से स्वतंत्र हैं.",
        "मेरा नाम राहुल है और मैं दिल्ली में रहता हूँ.",
        "आज मौसम बहुत अच्छा है, चलो बाहर चलते हैं.",
        "बच्चे बगीचे में खेल रहे हैं.",
        "मुझे चाय पसंद है, लेकिन उसे कॉफ़ी पसंद है.",
        "कल हम बाज़ार गए और फल खरीदे.",
        "यह किताब बहुत पुरानी है.",
        "क्या आप हिंदी बोलते हैं?",
        "रेलगाड़ी सुबह 8 बजे आती है.",
        "धन्यवाद, फिर मिलेंगे!",
    ),
    ITALIAN: (
        "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.",
        "Il gatto dorme sul divano vicino alla finestra.",
        "Ieri siamo andati al mercato e abbiamo comprato il pane.",
        "Mia sorella abita in una piccola città vicino al mare.",
        "Non so cosa dire, ma credo che tu abbia ragione.",
        "I bambini giocano nel giardino dietro la casa.",
        "L'inverno scorso è caduta molta neve.",
        "Mi piace il caffè; a te piace il tè.",
        "Dov'è la stazione più vicina?",
        "Domani mattina partiremo per Bologna in 12.",
    ),
    PORTUGUESE: (
        "Todos os seres humanos nascem livres e iguais em dignidade e em direitos.",
        "O gato dorme no sofá perto da janela.",
        "Ontem fomos ao mercado e compramos pão.",
        "Minha irmã mora em uma cidade pequena perto do mar.",
        "Não sei o que dizer, mas acho que você tem razão.",
        "As crianças brincam no jardim atrás da casa.",
        "No inverno passado choveu muito no sul.",
        "Eu gosto de café; você gosta de chá.",
        "Onde fica a estação mais próxima?",
        "Amanhã de manhã vamos para São Paulo, às 7.",
    ),
}
LETTERS = {
    "es": "aeiouñáüstrlmnpcd", "fr-FR": "aeiouçéèêœstrlmn", "hi": "अआइकखगतदनपमरलसह\u093e\u093f\u0940\u0947\u094d\u0902",
    "it": "aeiouàèìòstrlmnzc", "pt-BR": "aeiouãõçéêstrlmnh", "ja": "あいうかさたなはまやらわんアカ東京日本語",
    "zh": "你好世界中国人我是的一二三天气",
}  # fmt: skip
PIECES = st.sampled_from(
    [" ", " ", " ", "\n", "\n\n", ".", ",", "!", "?", "¿", "«", "»", " « ", "—", "-", "…", ";", ":", "(", ")", "[", "]",
     "。", "，", "、", "！", "「", "」", "।", "3", "1.234,5", "14:30", "$5", "5 €", "-7", "😀", "☃", "é", "e\u0301",
     "\u200d", "Dr. ", "etc. ", "A. B. ", "www.a.com", "[x](/a/)", "[si](/sˈi/)", "**", "# ", "- ", "Привет", "你好",
     "abc", "\ud800", "\x00", "Ａ", "％", "%", "&", "/", "'", "\"", "_", "½", "²", "ª", "नमस्ते", "α", "か"]
)  # fmt: skip


def is_installed(language: Language) -> bool:
    try:
        check_installed(language)
    except MissingLanguage:
        return False
    return True


HERE = [language for language in LANGUAGES if not language.english and is_installed(language)]
"""All languages but English, the optional ones only if they are installed."""


@cache
def phonemizer(tag: str, limit: int = 510) -> Phonemizer:
    return Phonemizer(tag, frozenset(ModelConfig.load(CONFIG).vocab), limit)


def spoken(text: str, language: Language) -> str:
    return " ".join(utterance.phonemes for utterance in phonemizer(language.tag).plan(text).utterances)


@pytest.mark.parametrize("language", list(SENTENCES), ids=lambda language: language.tag)
def test_plain_sentences_sound_as_upstream_has_them(language):
    upstream = EspeakG2P(language=ESPEAK_NAMES[language])
    for sentence in SENTENCES[language]:
        assert spoken(sentence, language) == upstream(sentence)[0]


@pytest.mark.parametrize("language", HERE, ids=lambda language: language.tag)
def test_every_language_speaks_its_sample(language, symbols):
    plan = phonemizer(language.tag).plan(language.sample)
    check_plan(language.sample, plan, symbols, 510)
    assert plan.notices == ()
    assert plan.utterances[0].start == 0
    assert plan.utterances[-1].end == len(language.sample)


@pytest.mark.parametrize("language", HERE, ids=lambda language: language.tag)
@settings(max_examples=40)
@given(data=st.data())
def test_any_text_is_planned_without_loss_or_refused(language, symbols, data):
    words = st.text(LETTERS[language.tag], min_size=1, max_size=8)
    text = "".join(data.draw(st.lists(words | PIECES, min_size=1, max_size=25)))
    for limit in (510, 12):
        try:
            plan = phonemizer(language.tag, limit).plan(text)
        except NothingToSpeak:
            continue
        check_plan(text, plan, symbols, limit)


def test_numbers_keep_their_points_and_commas():
    assert "kˌoma" in spoken("Cuesta 45,50 euros.", SPANISH)
    assert spoken("Son las 14:30.", SPANISH) == "sˈon las katˈoɾθe tɾˈAnta."


def test_sentences_end_where_the_language_ends_them():
    def texts(text: str, language: Language) -> list[str]:
        sourced = OtherFrontEnd(language).normalize(text).sourced
        spans = [sourced.source_span(found.start, found.end) for found in sentences(sourced.text)]
        return [text[span.start : span.end] for span in spans]

    assert texts("¿Vienes mañana? ¡Claro que sí!", SPANISH) == ["¿Vienes mañana?", "¡Claro que sí!"]
    assert texts("El Sr. Gómez vive aquí. Adiós.", SPANISH) == ["El Sr. Gómez vive aquí.", "Adiós."]
    assert texts("आप कैसे हैं। मैं ठीक हूँ॥ अच्छा।", HINDI)[0] == "आप कैसे हैं।"
    assert len(texts("आप कैसे हैं। मैं ठीक हूँ॥ अच्छा।", HINDI)) == 3
    assert texts("« Bonjour ! » Il est midi et quart déjà. Ça va.", FRENCH)[0] == "« Bonjour ! »"


def test_a_given_pronunciation_is_taken_as_it_is():
    plan = phonemizer("it").plan("Io sono [Kokoro](/ˈkɔkoro/), davvero.")
    assert plan.utterances[0].phonemes == "ˈio sˈono ˈkɔkoro, davvˈero."
    assert plan.notices == ()


def test_symbols_missing_from_the_model_are_reported(symbols):
    plan = Phonemizer("es", symbols - {"θ"}, 510).plan("Cinco casas.")
    assert "θ" not in plan.utterances[0].phonemes
    assert [(notice.start, notice.end) for notice in plan.notices] == [(0, 5)]


def test_long_text_is_split_at_the_limit(symbols):
    text = " ".join(SENTENCES[SPANISH]) * 5
    plan = phonemizer("es").plan(text)
    check_plan(text, plan, symbols, 510)
    assert len(plan.utterances) > 5


@pytest.mark.parametrize("unit", ["palabra ", "a", "1,", "[a](/x/) ", "你好 a ", "Sr. ", "$1 ", " ¿"])
def test_long_texts_take_linear_time(unit):
    def calls(characters: int) -> int:
        text = unit * (characters // len(unit)) + "fin"
        return calls_made(lambda: phonemizer("es").plan(text))

    calls(100)  # data that is loaded once
    assert calls(8_000) < 5 * calls(2_000) + 1_000


def test_text_without_spaces_is_cut_at_its_words():
    front_end = OtherFrontEnd(MANDARIN, load_speak=lambda language: lambda text: " ".join("a" * len(text)))
    words = front_end.pronounce("你好世界, 好.", ())
    assert [(word.text, word.phonemes, word.start, word.space) for word in words] == [
        ("你", "a", 0, True), ("好", "a", 1, True), ("世", "a", 2, True), ("界", "a", 3, False), (",", ",", 4, True),
        ("好", "a", 6, False), (".", ".", 7, False),
    ]  # fmt: skip


def test_text_without_sound_is_reported():
    front_end = OtherFrontEnd(MANDARIN, load_speak=lambda language: lambda text: "")
    assert front_end.pronounce("你好.", ())[0].text == "."
    (report,) = front_end.reports()
    assert (report.start, report.end) == (0, 2)
    assert "can’t be spoken in Mandarin Chinese" in report.message
    assert front_end.reports() == []


@given(st.integers(1, 30), st.integers(1, 30))
def test_shared_spans_are_in_order_and_leave_nothing_out(written_count, count):
    written = [(10 * index, 10 * index + 9) for index in range(written_count)]
    spans = shared_spans(written, count)
    assert len(spans) == count
    assert all(first <= second for first, second in pairwise(spans))
    assert all(any(start <= first and last <= end for start, end in spans) for first, last in written)


PROJECT = project_folder() / "pyproject.toml"


@pytest.mark.parametrize(
    ("language", "text", "phonemes"),
    [
        (SPANISH, "buenos días", "bwˈenos ðˈias"),
        (SPANISH, "1.234,5", "mˈil dosθjˈentos tɾˌAntaikwˈatɾo kˌoma θˈinko"),
        (FRENCH, "aujourd'hui", "oʒuʁdyˈi"),
        (ITALIAN, "il 25%", "il ventiʧˈinkwe perʧˈɛŋto"),
        (SPANISH, "", ""),
    ],
)
def test_espeak_speaks_words_and_numbers(language, text, phonemes):
    assert load_speak(language)(text) == phonemes


def test_nothing_is_written_to_the_screen(capfd):
    assert load_speak(FRENCH)("le weekend, le parking et hello world")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("language", [JAPANESE, MANDARIN], ids=lambda language: language.tag)
def test_missing_packages_are_named_with_a_remedy(language, monkeypatch):
    monkeypatch.setattr(front_end, "find_spec", lambda name: None)
    with pytest.raises(MissingLanguage, match=PACKAGES[language][0]) as caught:
        check_installed(language)
    assert f"'.[{language.tag}]'" in caught.value.hint
    for other in LANGUAGES:
        if other not in PACKAGES:
            check_installed(other)


@pytest.mark.parametrize("language", [JAPANESE, MANDARIN], ids=lambda language: language.tag)
def test_the_optional_install_matches_the_required_packages(language):
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    pins = project["optional-dependencies"][language.tag]
    assert tuple(re.split("==", pin)[0].replace("-", "_") for pin in pins) == PACKAGES[language]


def test_latin_words_are_read_as_english():
    speak = with_latin_words(lambda text: text.replace("说", "ʂwo→"))
    assert speak("说Hello world说") == "ʂwo→ həlˈO wˈɜɹld ʂwo→"
    assert speak("说") == "ʂwo→"


@pytest.mark.parametrize(
    ("written", "readable"),
    [
        ("2024年", "2024年"),
        ("0時", "0時"),
        ("999999999", "999999999"),
        ("10000000000円", "100億円"),
        ("1234567890123456", "1234兆5678億9012万3456"),
        ("12345678901234567", "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7"),
        ("電話は09012345678", "電話は0 9 0 1 2 3 4 5 6 7 8"),
        ("3.14", "3点1 4"),
        ("٣❶m²", "31m2"),
    ],
)
def test_japanese_numbers_are_put_as_misaki_reads_them(written, readable):
    assert readable_japanese(written) == readable


def test_long_numbers_in_mandarin_are_read_by_digits():
    assert readable_mandarin("1234567890123456") == "1234567890123456"
    assert readable_mandarin("号码11010519491231002") == "号码1 1 0 1 0 5 1 9 4 9 1 2 3 1 0 0 2"


def test_characters_without_a_reading_are_left_as_they_are():
    def speak(text: str) -> str:
        if "龱" in text:
            raise ValueError
        return text.replace("好", "xau↓")

    assert with_rare_characters(speak)("好龱好") == "xau↓ 龱 xau↓"
    assert with_rare_characters(speak)("龱").strip() == "龱"
    assert with_rare_characters(speak)("好") == "xau↓"


def test_building_one_does_not_load_torch():
    program = (
        "import sys; from engine.text.g2p.other_languages.front_end import load_speak; "
        "from engine.text.languages import SPANISH; load_speak(SPANISH); "
        "sys.exit(len({'torch', 'misaki.en'}.intersection(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=project_folder(), check=False).returncode == 0
