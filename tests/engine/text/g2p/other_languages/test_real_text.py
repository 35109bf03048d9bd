"""Text from real books, by kind: it sounds like the same content in plain words, with the same stops."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from num2words import num2words

from engine.text.g2p.other_languages.text import normalize_other
from engine.text.g2p.other_languages.writing import writing_of
from engine.text.languages import FRENCH, ITALIAN, PORTUGUESE, SPANISH, Language
from tests.engine.text.g2p.other_languages.test_front_end import phonemizer

ROMAN_LANGUAGES = (FRENCH, ITALIAN, PORTUGUESE, SPANISH)


def heard(text: str, language: Language) -> str:
    """Return the phonemes without stress, spaces and quotation marks, which no test compares."""
    plan = phonemizer(language.tag).plan(text)
    assert plan.notices == ()
    return re.sub("[ˈˌ “”]", "", " ".join(utterance.phonemes for utterance in plan.utterances)).replace("ᵊ", "ə")


def check(language: Language, written: str, words: str) -> None:
    assert heard(written, language) == heard(words, language)


@pytest.mark.parametrize(
    ("language", "written", "words"),
    [
        (FRENCH, "Louis XIV régnait.", "Louis quatorze régnait."),
        (FRENCH, "François Ier et Napoléon III.", "François premier et Napoléon trois."),
        (FRENCH, "Charles X. Après lui, rien.", "Charles dix. Après lui, rien."),
        (FRENCH, "Élisabeth II, rue Louis-XIV", "Élisabeth deux, rue Louis-quatorze"),
        (ITALIAN, "Umberto I di Savoia", "Umberto primo di Savoia"),
        (ITALIAN, "Umberto I. Poi venne Vittorio.", "Umberto primo. Poi venne Vittorio."),
        (ITALIAN, "Paolo VI, Luigi XIV ed Elisabetta II", "Paolo sesto, Luigi quattordicesimo ed Elisabetta seconda"),
        (SPANISH, "Felipe VI habló.", "Felipe sexto habló."),
        (SPANISH, "Alfonso X, Alfonso XIII e Isabel II", "Alfonso décimo, Alfonso trece e Isabel segunda"),
        (SPANISH, "Carlos V. Después murió.", "Carlos quinto. Después murió."),
        (SPANISH, "VIDA DE FELIPE II", "Vida de Felipe segundo"),
        (SPANISH, "EL REY FELIPE II murió.", "El rey Felipe segundo murió."),
        (PORTUGUESE, "D. João VI e D. Maria I", "Dom João sexto e dona Maria primeira"),
        (PORTUGUESE, "Luís XIV e Pio X", "Luís quatorze e Pio décimo"),
    ],
)
def test_numerals_of_names(language, written, words):
    check(language, written, words)


@pytest.mark.parametrize(
    ("language", "written", "words"),
    [
        (FRENCH, "au XXe siècle", "au vingtième siècle"),
        (FRENCH, "au XIXᵉ siècle et au xviiie siècle", "au dix-neuvième siècle et au dix-huitième siècle"),
        (FRENCH, "les XVIe et XVIIe siècles", "les seizième et dix-septième siècles"),
        (FRENCH, "AU XIXE SIÈCLE. FRANÇOIS IER", "Au dix-neuvième siècle. François premier"),
        (FRENCH, "le Ve s. av. J.-C. fut", "le cinquième siècle avant Jésus-Christ fut"),
        (ITALIAN, "il XX secolo", "il ventesimo secolo"),
        (
            ITALIAN,
            "nell'VIII secolo e nei secoli XV e XVI",
            "nell'ottavo secolo e nei secoli quindicesimo e sedicesimo",
        ),
        (ITALIAN, "I secoli passano; il I secolo; i secoli", "I secoli passano; il primo secolo; i secoli"),
        (SPANISH, "el siglo XXI y el siglo v", "el siglo veintiuno y el siglo quinto"),
        (SPANISH, "los siglos XVI y XVII", "los siglos dieciséis y diecisiete"),
        (PORTUGUESE, "no século XX e no século V", "no século vinte e no século quinto"),
    ],
)
def test_centuries(language, written, words):
    check(language, written, words)


@pytest.mark.parametrize(
    ("language", "written", "words"),
    [
        (FRENCH, "CHAPITRE PREMIER", "Chapitre premier"),
        (FRENCH, "LIVRE III", "Livre trois"),
        (FRENCH, "TOME II. CHAPITRE VI\n\nLa mer.", "Tome deux. Chapitre six.\n\nLa mer."),
        (FRENCH, "le vol. II, p. 5; un vol. Puis rien", "le volume deux, page 5; un vol. Puis rien"),
        (FRENCH, "Acte II, scène V, chapitre xii", "Acte deux, scène cinq, chapitre douze"),
        (FRENCH, "XL. La sortie.\n\nIl pleut.", "Quarante. La sortie.\n\nIl pleut."),
        (FRENCH, "IV\n\nIl pleut.", "Quatre.\n\nIl pleut."),
        (ITALIAN, "CAPITOLO IV", "Capitolo quarto"),
        (ITALIAN, "PARTE II. CAPITOLO I", "Parte seconda. Capitolo primo"),
        (ITALIAN, "CAPITOLO VI In principio", "Capitolo sesto in principio"),
        (ITALIAN, "cap. VI, libro iii, scena V", "capitolo sesto, libro terzo, scena quinta"),
        (SPANISH, "CAPÍTULO II", "Capítulo dos"),
        (SPANISH, "Cap. II, vol. III", "Capítulo dos, volumen tres"),
        (SPANISH, "CAPÍTULO VI. DE LA GUERRA", "Capítulo seis. De la guerra"),
        (PORTUGUESE, "CAPÍTULO II", "Capítulo dois"),
        (PORTUGUESE, "XL\n\nUma égua.\n\nLI\n\nO mar.", "Quarenta.\n\nUma égua.\n\nCinquenta e um.\n\nO mar."),
        (PORTUGUESE, "Capítulo CXX, livro III", "Capítulo cento e vinte, livro três"),
    ],
)
def test_parts_of_books(language, written, words):
    check(language, written, words)


@pytest.mark.parametrize(
    ("language", "written", "words"),
    [
        (FRENCH, "la IIe Guerre et la Ve République", "la deuxième Guerre et la cinquième République"),
        (ITALIAN, "la II guerra, il III premio", "la seconda guerra, il terzo premio"),
        (ITALIAN, "via XX Settembre", "via venti Settembre"),
        (SPANISH, "la II Guerra, el III Congreso", "la segunda Guerra, el tercer Congreso"),
        (SPANISH, "el V Centenario", "el quinto Centenario"),
        (PORTUGUESE, "a II Guerra, o IV Congresso", "a segunda Guerra, o quarto Congresso"),
    ],
)
def test_roman_numerals_before_their_nouns_become_number_words(language, written, words):
    check(language, written, words)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (FRENCH, "Il dit: DIX FOIS. Le CD et le DVD, taille XL."),
        (FRENCH, "Ce soir. De là. Les vies. Des rayons X. Il vit la vie."),
        (FRENCH, "chapitre dix, livres, Xavier"),
        (SPANISH, "Lo vi. Mi casa. YO VI LA LUZ. Di que MI CASA es tuya."),
        (SPANISH, "el CD y el DVD; la Generación X"),
        (ITALIAN, "I bambini giocano. Anche I Malavoglia. TRA I MONTI. I PROMESSI SPOSI"),
        (ITALIAN, "Vi prego di dirmi. VI PREGO. MI DICI? In parte vi credo."),
        (PORTUGUESE, "Eu vi o mar. EU VI O MAR. O CD, o DVD."),
    ],
)
def test_words_are_no_numerals(language, text):
    normal = normalize_other(text, language, writing_of(language), str.isalnum).sourced.text
    assert normal.casefold() == text.casefold()


@pytest.mark.parametrize(
    ("language", "written", "words"),
    [
        (FRENCH, "le 1er mai, la 1re fois, la 1ère", "le premier mai, la première fois, la première"),
        (
            FRENCH,
            "le 2e, la 3ème, le 21e, le 80e",
            "le deuxième, la troisième, le vingt et unième, le quatre-vingtième",
        ),
        (FRENCH, "le 2nd et la 2nde", "le second et la seconde"),
        (ITALIAN, "il 1° maggio, il 3° posto, la 2ª volta", "il primo maggio, il terzo posto, la seconda volta"),
        (ITALIAN, "il 20esimo", "il ventesimo"),
        (SPANISH, "el 1.º, la 2.ª, el 3.er piso", "el primero, la segunda, el tercer piso"),
        (SPANISH, "la 2a edición", "la segunda edición"),
        (SPANISH, "3º, 1ro, 2da, 13.º", "tercero, primero, segunda, decimotercero"),
        (PORTUGUESE, "o 1.º, a 2ª, o 3º lugar", "o primeiro, a segunda, o terceiro lugar"),
        (PORTUGUESE, "a 1a vez, a 21ª", "a primeira vez, a vigésima primeira"),
    ],
)
def test_ordinals_by_their_suffix(language, written, words):
    check(language, written, words)


@pytest.mark.parametrize(
    ("language", "written", "words"),
    [
        (FRENCH, "5 km, 3 m², 2,5 kg", "5 kilomètres, 3 mètres carrés, 2,5 kilogrammes"),
        (FRENCH, "à 90 km/h, 20 °C, 5 %", "à 90 kilomètres par heure, 20 degrés Celsius, 5 pour cent"),
        (FRENCH, "1 t, -5 °C, 10 000 km", "une tonne, moins 5 degrés Celsius, 10 000 kilomètres"),
        (FRENCH, "les km parcourus, 3 habitants/km²", "les kilomètres parcourus, 3 habitants par kilomètre carré"),
        (ITALIAN, "5 km, 1 km, 10 cm", "5 chilometri, un chilometro, 10 centimetri"),
        (
            ITALIAN,
            "a 90 km/h, 20 °C, 5 %, 3 m²",
            "a 90 chilometri all'ora, 20 gradi Celsius, 5 per cento, 3 metri quadrati",
        ),
        (ITALIAN, "1 €, 7 €, 1 h", "un euro, 7 euro, un'ora"),
        (SPANISH, "5 km, 1 km, 21 km", "5 kilómetros, un kilómetro, veintiún kilómetros"),
        (SPANISH, "20º C, 20ºC, 7° C", "20 grados Celsius, 20 grados Celsius, 7 grados Celsius"),
        (SPANISH, "a 90 km/h, 7 °C, 5 %", "a 90 kilómetros por hora, 7 grados Celsius, 5 por ciento"),
        (SPANISH, "1 €, 200 £, por kg", "un euro, doscientas libras, por kilogramo"),
        (PORTUGUESE, "5 km, 1,5 km, 2 t", "5 quilômetros, 1,5 quilômetro, duas toneladas"),
        (PORTUGUESE, "a 90 km/h, 7 °C, R$ 1", "a 90 quilômetros por hora, 7 graus Celsius, 1 real"),
    ],
)
def test_units(language, written, words):
    check(language, written, words)


@pytest.mark.parametrize(
    ("language", "written", "words"),
    [
        (FRENCH, "l’8 mai, d'1 an", "l'huit mai, d'un an"),
        (FRENCH, "l' homme qu' il a vu", "l'homme qu'il a vu"),
        (ITALIAN, "ch'io, ch’egli, chʼè", "chio, chegli, chè"),
        (ITALIAN, "ch'ho, ch'un, gl'Italiani", "co, cun, glitaliani"),
        (ITALIAN, "l'8, dell'11, all'1 e l'11%", "l'otto, dell'undici, all'uno e l'undici per cento"),
        (ITALIAN, "c‘è un`altra, l' uomo e c' era", "c'è un'altra, l'uomo e c'era"),
        (ITALIAN, "i 5 l'hanno, un po' di", "i 5 lanno, un po' di"),
    ],
)
def test_apostrophes_join(language, written, words):
    check(language, written, words)


@pytest.mark.parametrize(
    ("language", "written", "words"),
    [
        (FRENCH, "M. Dupont, Mme Roy et Mlle Bo", "monsieur Dupont, madame Roy et mademoiselle Bo"),
        (FRENCH, "MM. Roy, Mmes Roy, Mlles Bo", "messieurs Roy, mesdames Roy, mesdemoiselles Bo"),
        (FRENCH, "Il vint. M. Roy sortit.", "Il vint. Monsieur Roy sortit."),
        (SPANISH, "Sr. Gómez, Dr. Ruiz y D. Juan. Ud. sabe.", "señor Gómez, doctor Ruiz y don Juan. Usted sabe."),
        (SPANISH, "EL SR. GÓMEZ y D.ª Ana", "El señor Gómez y doña Ana"),
        (PORTUGUESE, "D. Pedro, D. Maria e D. Inês", "Dom Pedro, dona Maria e dona Inês"),
        (PORTUGUESE, "o Sr. Silva e a Sra. Costa", "o senhor Silva e a senhora Costa"),
    ],
)
def test_titles(language, written, words):
    check(language, written, words)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (FRENCH, "Vas-y. Il pleut."),
        (FRENCH, "Il y en a. Oui, mets-en."),
        (SPANISH, "Tú o yo. Dilo."),
        (ITALIAN, "Così è. Vero."),
        (PORTUGUESE, "Só a. Depois."),
        (SPANISH, "Felipe V. Luego."),
        (SPANISH, "Compró pan, etc. Luego se fue."),
        (ITALIAN, "Nel 50 a.C. Cesare vinse."),
    ],
)
def test_a_sentence_keeps_its_stop(language, text):
    assert heard(text, language).count(".") == 2


def test_signs_of_sums_are_spoken():
    check(SPANISH, "5 + 3 = 8", "cinco más tres igual ocho")


def test_initials_are_no_sentences():
    assert heard("J.-P. Sartre et J. R. R. Tolkien. Fin.", FRENCH).count(".") == 2


@pytest.mark.parametrize("language", ROMAN_LANGUAGES, ids=lambda language: language.tag)
@pytest.mark.parametrize("sign", "…—–―«»“”‹›„‘’‚'\"•·*_~|¶©®™†→←↔▪♦★#/=§^`´")
def test_no_sign_is_spoken_by_its_name(language, sign):
    def letters(text: str) -> str:
        plan = phonemizer(language.tag).plan(text)
        phonemes = " ".join(utterance.phonemes for utterance in plan.utterances)
        return "".join(filter(str.isalpha, re.sub("[ˈˌ]", "", phonemes)))

    silent = (letters("la casa, la mano"), letters("la casa la mano"))
    assert letters(f"la casa {sign} la mano") in silent


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (FRENCH, "LES TROIS MOUSQUETAIRES ET LE COMTE DE MONTE-CRISTO"),
        (ITALIAN, "QUEL RAMO DEL LAGO DI COMO"),
        (SPANISH, "EL INGENIOSO HIDALGO DON QUIJOTE DE LA MANCHA"),
        (PORTUGUESE, "MEMÓRIAS PÓSTUMAS DE BRÁS CUBAS"),
        (FRENCH, "On lut LE ROI EST MORT sur la porte."),
        (ITALIAN, "Lesse IL RE È MORTO e L'ITALIA sulla porta."),
        (SPANISH, "Leyó EL FIN DEL MUNDO en la puerta; NO lo creyó."),
        (PORTUGUESE, "Leu O REI É MORTO na porta e NÃO chorou."),
    ],
)
def test_capitals_are_words(language, text):
    assert heard(text, language) == heard(text.lower(), language)


@given(number=st.integers(1, 39), language=st.sampled_from(ROMAN_LANGUAGES))
def test_a_chapter_has_the_number_that_its_numeral_has(number, language):
    heading = {FRENCH: "Chapitre", ITALIAN: "Capitolo", PORTUGUESE: "Capítulo", SPANISH: "Capítulo"}[language]
    tens, ones = divmod(number, 10)
    numeral = "X" * tens + ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")[ones]
    name = {FRENCH: "fr", ITALIAN: "it", PORTUGUESE: "pt_BR", SPANISH: "es"}[language]
    words = num2words(number, lang=name, to="ordinal" if language == ITALIAN else "cardinal")
    check(language, f"{heading} {numeral}", f"{heading} {words.replace('catorze', 'quatorze')}")
