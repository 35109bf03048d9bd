import pytest

from engine.export.order import PART_CHARACTERS
from engine.export.parts import parts_of
from engine.g2p.split import PAUSE_SECONDS, Border

SENTENCE = "He said “that this is one of many sentences.” "


def assert_whole(text: str) -> None:
    """Nothing but white space is left out, and every part says where it is."""
    parts = list(parts_of(text))
    assert all(text[part.start : part.start + len(part.text)] == part.text for part in parts)
    assert "".join("".join(part.text for part in parts).split()) == "".join(text.split())
    assert all(0 < len(part.text) <= PART_CHARACTERS for part in parts)


def test_a_short_chapter_is_one_part() -> None:
    (part,) = parts_of("A title\n\nAnd a text.")
    assert (part.text, part.start, part.pause_seconds) == ("A title\n\nAnd a text.", 0, 0.0)


@pytest.mark.parametrize(
    ("text", "border"),
    [
        ("\n\n".join(["A paragraph of some length. And more."] * 300), Border.PARAGRAPH),
        (SENTENCE * 200, Border.SENTENCE),
        ("word " * 2000, Border.WORD),
    ],
)
def test_a_long_one_is_cut_at_the_strongest_border(text: str, border: Border) -> None:
    parts = list(parts_of(text))
    assert len(parts) > 2
    assert_whole(text)
    assert [part.pause_seconds for part in parts] == [*[PAUSE_SECONDS[border]] * (len(parts) - 1), 0.0]
    if border is Border.SENTENCE:
        assert all(part.text.rstrip().endswith(".”") for part in parts)


def test_one_without_any_space_is_cut_all_the_same() -> None:
    assert_whole("x" * (2 * PART_CHARACTERS + 5))
    assert_whole("\n\n\n   " + "x " * PART_CHARACTERS)
