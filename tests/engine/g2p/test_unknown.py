"""Words outside the lexicon: by their spelling, or by letters and a notice."""

import pytest
from misaki.token import MToken

from engine.g2p import unknown
from engine.g2p.unknown import UnknownWords, load_letter_to_sound


class Letters:
    """A lexicon of letters."""

    def get_NNP(self, letter: str) -> tuple[str | None, int | None]:
        return (f"<{letter}>", 3) if letter.isascii() else (None, None)


def token(text: str) -> MToken:
    return MToken(text=text, tag="NN", whitespace="", start_ts=5, end_ts=5 + len(text))


def test_spelling_decides_first() -> None:
    words = UnknownWords(Letters(), load_letter_to_sound(british=False))
    assert words(token("zorgify")) == ("zˈɔɹʤᵻfˌI", 2)
    assert words.reports() == []


def test_without_it_words_are_spelled_and_reported() -> None:
    words = UnknownWords(Letters(), None)
    assert words(token("ab"))[0] == "<a> <b>"
    assert words(token("漢"))[0] == ""
    reports = words.reports()
    assert [(start, end) for _, start, end in reports] == [(5, 7), (5, 6)]
    assert "spelled" in reports[0][0]
    assert "left out" in reports[1][0]
    assert words.reports() == []


@pytest.mark.parametrize("error", [OSError("no library"), AttributeError("espeak_Initialize")])
def test_a_library_that_does_not_load_is_done_without(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(british: bool) -> None:
        raise error

    monkeypatch.setattr(unknown, "LetterToSound", fail)
    assert load_letter_to_sound(british=True) is None
