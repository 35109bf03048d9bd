import pytest

from app.desktop.text_finder import Match, Matches

TEXT = "Salt, salt and 🙂 SALT."


def test_words_are_found_whatever_their_case() -> None:
    assert [TEXT[start:end] for start, end in Matches.of(TEXT, "salt").spans] == ["Salt", "salt", "SALT"]


@pytest.mark.parametrize("words", ["", "pepper"])
def test_what_is_not_there_is_not_found(words: str) -> None:
    matches = Matches.of(TEXT, words)
    assert matches.from_place(0) is matches.after(0) is matches.before(9) is None


def test_signs_mean_themselves() -> None:
    assert Matches.of("a.b axb (a.b)", "a.b").spans == ((0, 3), (9, 12))


def test_the_search_goes_on_at_the_other_end() -> None:
    matches = Matches(((0, 2), (5, 7)))
    assert matches.from_place(0) == Match((0, 2), 1, 2)
    assert matches.after(0) == matches.from_place(1) == Match((5, 7), 2, 2)
    assert matches.after(5) == matches.from_place(6) == Match((0, 2), 1, 2, wrapped=True)
    assert matches.before(5) == Match((0, 2), 1, 2)
    assert matches.before(0) == Match((5, 7), 2, 2, wrapped=True)


def test_a_place_is_known_by_its_span() -> None:
    matches = Matches(((0, 2), (5, 7)))
    assert matches.at((5, 7)) == Match((5, 7), 2, 2)
    assert matches.at((5, 6)) is None
    assert matches.at((9, 10)) is None
