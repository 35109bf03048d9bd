import pytest

from engine.documents.worker import guessed_language, language_of_document
from engine.languages import LANGUAGES

TEXTS = {
    "en": "It was the best of times, and it was the worst of times; they had all that they wanted, and nothing of it.",
    "fr": "Le petit prince est sur la planète, et il ne sait pas que le monde est plus grand que les étoiles du ciel.",
    "es": "En un lugar de la Mancha, no ha mucho tiempo que vivía un hidalgo de los de lanza y el galgo.",
    "it": "Nel mezzo del cammino di nostra vita mi ritrovai per una selva oscura, che la via non era più quella.",
    "pt": "Não é o que se diz, mas o que se faz, que conta para os homens e as mulheres da cidade em que ele vive.",
    "de": "Als er am Morgen aus dem Haus kam, war die Straße leer, und er wusste nicht, was er mit sich tun sollte.",
}


@pytest.mark.parametrize("tag", TEXTS)
def test_a_language_is_known_by_its_frequent_words(tag: str) -> None:
    assert guessed_language(TEXTS[tag]) == tag


@pytest.mark.parametrize(
    "language", [each for each in LANGUAGES if each.tag in ("hi", "ja", "zh")], ids=lambda each: each.tag
)
def test_a_language_is_known_by_its_writing(language) -> None:
    assert guessed_language(language.sample) == language.tag


@pytest.mark.parametrize("text", ["", "Hello there.", "12 34 56 " * 30, "xyzzy plugh " * 30])
def test_nothing_is_guessed_from_too_little(text: str) -> None:
    assert guessed_language(text) == ""


def test_what_is_told_counts_unless_the_text_is_clearly_in_another_language() -> None:
    assert language_of_document("en_GB", TEXTS["en"]) == "en-GB"
    assert language_of_document("en-US", TEXTS["fr"]) == "fr"
    assert language_of_document("ca", "Bon dia.") == "ca"
