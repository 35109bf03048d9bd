import pytest

from engine.text.documents.prose import LineJoiner, clean, is_note_mark


@pytest.mark.parametrize(
    ("raw", "spoken"),
    [
        ("a\u00a0 b\tc", "a b c"),
        ("ex\u00adam\u200bple", "example"),
        ("eﬃcient ﬁsh", "efficient fish"),
        ("one \n two", "one\ntwo"),
        ("a\x00b\x0c", "a b"),
    ],
)
def test_what_layout_left_goes(raw: str, spoken: str) -> None:
    assert clean(raw) == spoken


@pytest.mark.parametrize("mark", ["12", "[3]", "(4)", "*", "††", "a", "[b]", " 7 "])
def test_marks_of_notes(mark: str) -> None:
    assert is_note_mark(mark)


@pytest.mark.parametrize("text", ["st", "1984", "note", "", "2x"])
def test_no_marks_of_notes(text: str) -> None:
    assert not is_note_mark(text)


def test_a_word_cut_at_the_end_of_a_line_is_whole_again() -> None:
    assert LineJoiner("").joined(["An exam-", "ple of it."]) == "An example of it."


def test_a_word_that_has_its_hyphen_elsewhere_keeps_it() -> None:
    text = "A well-known place.\nThe well-\nknown place."
    assert LineJoiner(text).joined(["The well-", "known place."]) == "The well-known place."


@pytest.mark.parametrize("lines", [["He said -", "nothing."], ["Jean-", "Paul came."], ["pages 12-", "14 here."]])
def test_other_dashes_stay(lines: list[str]) -> None:
    assert LineJoiner("").joined(lines) == " ".join(lines)


def test_a_long_paragraph_takes_no_longer_for_each_line() -> None:
    lines = ["some words that are cut at the very end of a li-", "ne and go on"] * 20_000
    assert LineJoiner("").joined(lines).startswith("some words that are cut at the very end of a line and")
