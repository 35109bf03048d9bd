"""Titles and shouts sound like the same words in small letters; acronyms are left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.g2p import Phonemizer
from engine.text.g2p.capitals import lower_capitals
from engine.text.g2p.draft import Draft
from engine.text.g2p.lexicon import Lexicon, WordsInCapitals
from engine.text.languages import AMERICAN
from tests.engine.text.g2p.plain_words import same_as

SHOUTED = (
    ("THE OLD MAN AND HIS SON walked home.", "The old man and his son walked home."),
    ("AS HE WAS ON the road, it rained.", "As he was on the road, it rained."),
    ("“STOP IT!” she cried. “I AM NOT GOING.”", "“Stop it!” she cried. “I am not going.”"),
    ("“WHO IS IT?” he asked. “IT IS US.”", "“Who is it?” he asked. “It is us.”"),
    ("TELL ME, OR GO TO CALIFORNIA.", "Tell me, or go to California."),
    ("PLEASE LET US GO. HE SAT DOWN.", "Please let us go. He sat down."),
    ("DON'T YOU DARE! I WON’T HAVE IT!", "Don't you dare! I won't have it!"),
    ("THE DOCTOR'S WIFE AND THE KING'S HORSES", "The doctor's wife and the king's horses"),
    ("LIFE, LIBERTY, AND THE PURSUIT OF HAPPINESS", "Life, liberty, and the pursuit of happiness"),
    ("TWENTY-FIVE YEARS LATER", "Twenty-five years later"),
    ("A MAN WITH A DOG", "A man with a dog"),
    ("DID YOU MIX IT?", "Did you mix it?"),
    ("THE VIVID, LIVID, CIVIL MAN", "The vivid, livid, civil man"),
)
NAMES = (
    ("MR. AND MRS. BENNET dined at home.", "Mr. and Mrs. Bennet dined at home."),
    ("ELIZABETH BINGLEY MARRIED COLONEL DARCY.", "Elizabeth Bingley married Colonel Darcy."),
    ("DEAR MISS HUNTER, come at once.", "Dear Miss Hunter, come at once."),
    ("DR. WATSON AND MISS ADLER WENT OUT.", "Dr. Watson and Miss Adler went out."),
    ("ST. JAMES'S PARK IS GREEN.", "St. James's Park is green."),
    ("Yours, ST. SIMON.", "Yours, St. Simon."),
    ("PETER SIMON", "Peter Simon"),
    ("Mr. Gardiner wrote: M. GARDINER.", "Mr. Gardiner wrote: M. Gardiner."),
    ("the O'NEILL house and MR MCDONALD", "the O'Neill house and Mr McDonald"),
    ("MESSRS. BROWN AND CO. OF LONDON", "Messrs. Brown and Co. of London"),
    ("ON JAN. 5, 1880, THE SHIP SANK.", "On Jan. 5, 1880, the ship sank."),
)
ACRONYMS = (
    ("The NASA probe and the FBI file.", "The NASA probe and the F B I file."),
    ("THE FBI AND NASA ARE HERE.", "The F B I and NASA are here."),
    ("He works for the U.N. in New York.", "He works for the U N in New York."),
    ("THE U.N. SENT TROOPS.", "The U N sent troops."),
    ("THE US ARMY CAME. US TROOPS LANDED.", "The U S army came. U S troops landed."),
    ("THE IT DEPARTMENT IS CLOSED.", "The I T department is closed."),
    ("PLAN A FAILED.", "Plan A failed."),
    ("BOSTON, MA 02134", "Boston, MA 02134"),
    ("He works at IBM. THE END", "He works at eye bee em. The end"),
)
ALONE = (
    ("He saw a STOP sign.", "He saw a stop sign."),
    ("It was HIS book, not HERS.", "It was his book, not hers."),
    ("I said NO and I meant NO.", "I said no and I meant no."),
    ("You MUST go AS soon AS you can.", "You must go as soon as you can."),
    ("“HOLMES!” he cried.", "“Holmes!” he cried."),
    ("Pan Am flew there.", "Pan am flew there."),
)


@pytest.mark.parametrize(("written", "plain"), [*SHOUTED, *NAMES, *ACRONYMS, *ALONE])
def test_capitals_sound_like_plain_words(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)


@pytest.mark.parametrize(("written", "plain"), SHOUTED)
def test_so_they_do_in_britain(british: Phonemizer, written: str, plain: str) -> None:
    assert same_as(british, written, plain)


@pytest.fixture(scope="module")
def known() -> WordsInCapitals:
    return WordsInCapitals(Lexicon(british=False))


@pytest.mark.parametrize(
    "text",
    [
        "The IBM PC, a DVD and HTML.",
        "We use AT&T, TCP/IP and the UNHCR, USSR or OECD.",
        "I saw A and B.",
        "He said I, then O.",
        "Turn on the TV. IBM sold it.",
        "an LED, the SAT, his ID",
        "No capitals here, Mr. Smith.",
        "",
    ],
)
def test_acronyms_stay(known: WordsInCapitals, text: str) -> None:
    draft = Draft(text, AMERICAN)
    lower_capitals(draft, known)
    assert draft.text == text


_WORDS = "THE US IT FBI STOP I A IV MR. DARCY'S ST O'BRIEN x Home , . “ ” - \n 5 U.S. MCMXII Æ ZIP"
WORDS = _WORDS.split(" ")


@given(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join))
def test_only_the_case_of_letters_changes(known: WordsInCapitals, text: str) -> None:
    draft = Draft(text, AMERICAN)
    lower_capitals(draft, known)
    assert draft.text.lower() == text.lower()
    assert draft.sourced.borders == tuple(range(len(text) + 1))
    once = draft.text
    lower_capitals(draft, known)
    assert draft.text == once


def test_words_in_capitals_point_at_themselves(american: Phonemizer) -> None:
    text = "“THE OLD MAN,” he said."
    words = [text[word.start : word.end] for word in american.plan(text).utterances[0].words]
    assert words == ["THE", "OLD", "MAN", "he", "said"]


def test_a_heading_of_thousands_of_capitals_is_words(american: Phonemizer) -> None:
    assert same_as(american, "THE SEA AND " * 1000 + "END", "The sea " + "and the sea " * 999 + "and end")
