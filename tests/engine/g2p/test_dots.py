"""A dot after letters is heard where it ends a sentence, and only there."""

import pytest

from engine.g2p import Phonemizer
from tests.engine.g2p.plain_words import same_as


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("He left at 5 p.m. He came back.", "He left at five P M. He came back."),
        ("We met at 5 p.m. Bob left.", "We met at five P M. Bob left."),
        ("Come at 9 A.M. “Now,” he said.", "Come at nine A M. “Now,” he said."),
        ("We saw the U.S. The rest was sea.", "We saw the U S. The rest was sea."),
        ("He lives in the U.S.", "He lives in the U S."),
        ("She has a Ph.D. Nobody knew.", "She has a P H D. Nobody knew."),
        ("They landed in 55 B.C. Caesar won.", "They landed in fifty five B see. Caesar won."),
        ("Try plan B. John agreed.", "Try plan bee. John agreed."),
        ("Look at Exhibit C. Mary did.", "Look at Exhibit see. Mary did."),
        ("She needs vitamin C. Doctors agree.", "She needs vitamin see. Doctors agree."),
        ("He got a B. Mary cheered.", "He got a bee. Mary cheered."),
        ("Take exit A. Turn left.", "Take exit A.\nTurn left."),
        ("We bought pens, ink, etc. John paid.", "We bought pens, ink, etc. John paid."),
        ("Pens, ink, &c. John paid.", "Pens, ink, et cetera. John paid."),
    ],
)
def test_a_dot_that_ends_a_sentence_is_a_stop(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("J. A. Smith came.", "J A Smith came."),
        ("The late J. K. Rowling came.", "The late J K Rowling came."),
        ("She met George W. Bush there.", "She met George W Bush there."),
        ("The U.S. Army came.", "The U S Army came."),
        ("Washington D.C. is hot.", "Washington D C is hot."),
        ("The U.S. is large.", "The U S is large."),
        ("At 5 p.m. EST we left.", "At five P M E S T we left."),
        ("At 5 p.m. Monday we left.", "At five P M Monday we left."),
        ("The p.m. shift came.", "The P M shift came."),
        ("Open at 7.30 p.m. today.", "Open at seven thirty P M today."),
        ("Open at 7:30 p. m. today.", "Open at seven thirty P M today."),
        ("Pens, ink, &c., were sold.", "Pens, ink, et cetera, were sold."),
    ],
)
def test_any_other_dot_after_letters_is_silent(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)
