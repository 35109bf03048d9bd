import pytest

from engine.text.g2p import Phonemizer
from engine.text.g2p.abbreviations import RULES
from tests.engine.text.g2p.plain_words import rewritten, same_as


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
    assert rewritten(written, *RULES) == words


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("12 Oak Dr. The house is red.", "Twelve Oak Drive. The house is red."),
        ("He moved to 7 Park Dr. in May.", "He moved to seven Park Drive in May."),
        ("Meet me at 9 Sunset Dr.", "Meet me at nine Sunset Drive."),
        ("Port St. Lucie lies south.", "Port Saint Lucie lies south."),
        ("Bury St Edmunds lies east.", "Bury Saint Edmunds lies east."),
        ("Mount St. Helens erupted.", "Mount Saint Helens erupted."),
        ("Sault Ste. Marie is cold.", "Sault Saint Marie is cold."),
        ("Dr. Lee lives on Elm St. in Salem.", "Doctor Lee lives on Elm Street in Salem."),
        ("St. James's St. is long.", "Saint James's Street is long."),
        ("He lives at 22 Elm St. Peter does not.", "He lives at twenty two Elm Street Peter does not."),
        ("We met on Main St. It was late.", "We met on Main Street. It was late."),
        ("Ask Dr. Lee about it.", "Ask Doctor Lee about it."),
        ("I met Tom. Dr. Lee came.", "I met Tom. Doctor Lee came."),
        ("Mme. Bovary and Pvt. Ryan met Cmdr. Bond.", "Madame Bovary and Private Ryan met Commander Bond."),
        ("Adm. Nelson and Lieut. Hill", "Admiral Nelson and Lieutenant Hill"),
        ("Gen. and Mrs. Lee", "General and Mrs. Lee"),
        ("Built c. 1850 by Wm. Smith.", "Built circa eighteen fifty by William Smith."),
        ("(c.1200)", "(circa twelve hundred)"),
        ("(b. 1775)", "(born seventeen seventy five)"),
    ],
)
def test_streets_saints_doctors_and_titles(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)


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
