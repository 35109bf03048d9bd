"""Other writing systems."""

import pytest

from engine.g2p.scripts import GREEK_LETTERS, script_name, transliterated


@pytest.mark.parametrize(
    ("written", "latin"),
    [("Москва", "Moskva"), ("щётка", "shchyotka"), ("Αθήνα", "Athina"), ("съёмка", "syomka"), ("а-б", "a-b")],
)
def test_transliteration(written: str, latin: str) -> None:
    assert transliterated(written) == latin


@pytest.mark.parametrize(
    ("letter", "name"),
    [("я", "Cyrillic"), ("λ", "Greek"), ("漢", "Chinese"), ("한", "Korean"), ("م", "Arabic"), ("1", "")],
)
def test_names_of_scripts(letter: str, name: str) -> None:
    assert script_name(letter) == name


def test_greek_letters_have_names() -> None:
    assert GREEK_LETTERS["α"] == "alpha"
    assert GREEK_LETTERS["ς"] == GREEK_LETTERS["σ"] == "sigma"
    assert GREEK_LETTERS["ω"] == "omega"
