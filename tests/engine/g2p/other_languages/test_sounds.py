"""Pronunciation by misaki, and errors for languages whose packages are missing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from engine.errors import MissingLanguage
from engine.g2p.other_languages import sounds
from engine.g2p.other_languages.sounds import (
    PACKAGES,
    check_installed,
    load_speak,
    readable_japanese,
    readable_mandarin,
    with_latin_words,
    with_rare_characters,
)
from engine.languages import FRENCH, ITALIAN, JAPANESE, LANGUAGES, MANDARIN, SPANISH, Language
from engine.system.paths import project_folder

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
def test_japanese_numbers_are_put_as_misaki_reads_them(written: str, readable: str) -> None:
    assert readable_japanese(written) == readable


def test_long_numbers_in_mandarin_are_read_by_digits() -> None:
    assert readable_mandarin("1234567890123456") == "1234567890123456"
    assert readable_mandarin("号码11010519491231002") == "号码1 1 0 1 0 5 1 9 4 9 1 2 3 1 0 0 2"


def test_characters_without_a_reading_are_left_as_they_are() -> None:
    def speak(text: str) -> str:
        if "龱" in text:
            raise ValueError
        return text.replace("好", "xau↓")

    assert with_rare_characters(speak)("好龱好") == "xau↓ 龱 xau↓"
    assert with_rare_characters(speak)("龱").strip() == "龱"
    assert with_rare_characters(speak)("好") == "xau↓"


def test_building_one_does_not_load_torch() -> None:
    program = (
        "import sys; from engine.g2p.other_languages.sounds import load_speak; from engine.languages import SPANISH; "
        "load_speak(SPANISH); sys.exit(len({'torch', 'misaki.en'}.intersection(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=project_folder(), check=False).returncode == 0
