"""Line breaks: paragraphs, items, wrapped lines."""

import pytest

from engine.g2p.draft import Draft
from engine.g2p.lines import ITEM, WRAPPED_CHARACTERS, join_lines
from engine.languages import AMERICAN

LONG = "x" * WRAPPED_CHARACTERS


@pytest.mark.parametrize(
    ("written", "joined"),
    [
        ("One.\n\nTwo.", "One.\nTwo."),
        ("Heading\n\nText", "Heading.\nText"),
        ("One.\nTwo.", "One. Two."),
        ("He said,\nand left", "He said, and left"),
        (f"{LONG}\nand on", f"{LONG} and on"),
        (f"{LONG}\nSmith", f"{LONG} Smith"),
        (f"{LONG}\n{ITEM}item", f"{LONG}, item"),
        ("milk\nbread", "milk, bread"),
        ("Milk\nBread", "Milk. Bread"),
        ("well-\nknown", "well-known"),
        ("“Yes.”\nNo", "“Yes.” No"),
        ("\n\nstart", "start"),
        ("end\n\n", "end"),
        (f"{ITEM}only", "only"),
    ],
)
def test_line_breaks(written: str, joined: str) -> None:
    draft = Draft(written, AMERICAN)
    join_lines(draft)
    assert draft.text == joined
