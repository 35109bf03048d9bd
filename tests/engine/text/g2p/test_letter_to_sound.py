"""Pronunciation by spelling, compared with misaki's own use of espeak."""

import tempfile
from pathlib import Path

import pytest
from misaki.token import MToken

from engine.text.g2p import letter_to_sound
from engine.text.g2p.analysis import import_spacy
from engine.text.g2p.letter_to_sound import LetterToSound

_WORDS = (
    "zorgify kubernetes tomato Vladivostok schadenfreude button mountain little kitten Llanelli Bach chutzpah bear "
    "beer bird nurse goat face price mouth choice Nguyen Tchaikovsky x-ray rhythm prism isn't café-noir qwrtz goatherd "
    "loch rural squirrel milieu señor canyon McKenzie wugs blick frobnicate Szczecin aeolian quay"
)
WORDS = _WORDS.split()


@pytest.mark.parametrize("british", [False, True])
def test_words_sound_as_misaki_wants_them(british: bool) -> None:
    import_spacy()
    from misaki.espeak import EspeakFallback  # loads phonemizer

    theirs = EspeakFallback(british)
    ours = LetterToSound(british)
    for word in WORDS:
        assert ours.phonemes(word) == theirs(MToken(text=word, tag="NN", whitespace=""))[0]


def test_two_accents_live_side_by_side() -> None:
    american, british = LetterToSound(british=False), LetterToSound(british=True)
    assert american.phonemes("tomato") == "təmˈATO"
    assert british.phonemes("tomato") == "təmˈɑːtQ"
    assert american.phonemes("tomato") == "təmˈATO"


@pytest.mark.parametrize(
    "text", ["a" * 300, "привет", "\x00", "", "🙂", "-", "漢字", "a b", "’", "\ud800", "déjà", "."]
)
def test_any_word_is_survived(text: str) -> None:
    assert "(" not in LetterToSound(british=False).phonemes(text)


def test_nothing_is_left_in_the_folder_for_temporary_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    LetterToSound(british=False).phonemes("zorg")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_is_an_error_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letter_to_sound, "find_spec", lambda name: None)
    with pytest.raises(OSError, match="not installed"):
        LetterToSound(british=True)


def test_a_folder_without_a_library_is_an_error_of_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(letter_to_sound, "_espeak_folder", lambda: tmp_path)
    with pytest.raises(OSError, match="for this system"):
        LetterToSound(british=True)
