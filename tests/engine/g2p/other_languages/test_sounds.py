"""Pronunciation by misaki, and errors for languages whose packages are missing."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from engine.errors import MissingLanguage
from engine.g2p.other_languages import sounds
from engine.g2p.other_languages.sounds import PACKAGES, check_installed, load_speak, with_latin_words
from engine.languages import FRENCH, ITALIAN, JAPANESE, LANGUAGES, MANDARIN, SPANISH, Language

PROJECT = Path(__file__).resolve().parents[4] / "pyproject.toml"


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
def test_espeak_speaks_words_and_numbers(language: Language, text: str, phonemes: str) -> None:
    assert load_speak(language)(text) == phonemes


def test_nothing_is_written_to_the_screen(capfd: pytest.CaptureFixture[str]) -> None:
    assert load_speak(FRENCH)("le weekend, le parking et hello world")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("language", [JAPANESE, MANDARIN], ids=lambda language: language.tag)
def test_missing_packages_are_named_with_what_to_do(language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sounds, "find_spec", lambda name: None)
    with pytest.raises(MissingLanguage, match=PACKAGES[language][0]) as caught:
        check_installed(language)
    assert f"'.[{language.tag}]'" in caught.value.hint
    for other in LANGUAGES:
        if other not in PACKAGES:
            check_installed(other)


@pytest.mark.parametrize("language", [JAPANESE, MANDARIN], ids=lambda language: language.tag)
def test_the_optional_install_is_what_is_looked_for(language: Language) -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    pins = project["optional-dependencies"][language.tag]
    assert tuple(re.split("==", pin)[0].replace("-", "_") for pin in pins) == PACKAGES[language]


def test_latin_words_are_read_as_english() -> None:
    speak = with_latin_words(lambda text: text.replace("说", "ʂwo→"))
    assert speak("说Hello world说") == "ʂwo→ həlˈO wˈɜɹld ʂwo→"
    assert speak("说") == "ʂwo→"


def test_building_one_does_not_load_torch() -> None:
    load_speak(SPANISH)
    assert "engine.g2p.english" in sys.modules or "misaki.en" not in sys.modules
