"""Abbreviations are written out, and their dots are kept only where a sentence ends."""

import pytest

from engine.g2p.abbreviations import RULES
from engine.g2p.draft import Draft
from engine.languages import AMERICAN


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Mr. Smith and Dr Jones", "Mister Smith and Doctor Jones"),
        ("WWII and WW 1", "World War II and World War 1"),
        ("Apt. 3, Rm. 4", "Apartment 3, Room 4"),
        ("St. Louis, MO 63101-1234", "Saint Louis, Missouri, six three one zero one, one two three four"),
        ("Boston, MA", "Boston, MA"),
        ("e.g. this, i.e., that", "for example this, that is, that"),
        ("apples, pears, etc. The end", "apples, pears, etc. The end"),
        ("apples, etc., and", "apples, etc, and"),
        ("St. Louis", "Saint Louis"),
        ("on Main St. They", "on Main Street. They"),
        ("In St. Louis", "In Saint Louis"),
        ("p. 5, pp. 3-5, Fig. 2", "page 5, pages 3-5, Figure 2"),
        ("the U.S. Army", "the U.S Army"),
        ("in the U.S. The", "in the U.S. The"),
        ("a Ph.D. thesis", "a P.H.D thesis"),
        ("J. K. Rowling", "J K Rowling"),
        ("plan A. Then we", "plan A. Then we"),
        ("w/o salt, w/ pepper", "without salt, with pepper"),
        ("this vs that", "this versus that"),
        ("no. I said no.", "no. I said no."),
    ],
)
def test_written_out(written: str, words: str) -> None:
    draft = Draft(written, AMERICAN)
    draft.apply(*RULES)
    assert draft.text == words
