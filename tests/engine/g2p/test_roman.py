"""Roman numerals only where they are certain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.g2p import Phonemizer
from engine.g2p.draft import Draft
from engine.g2p.roman import RULES, is_numeral
from engine.languages import AMERICAN
from engine.roman_numerals import written
from tests.engine.g2p.plain_words import same_as


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("Henry VIII", "Henry the eighth"),
        ("Elizabeth II's", "Elizabeth the second's"),
        ("World War II", "World War two"),
        ("Chapter IV", "Chapter four"),
        ("Part I", "Part one"),
        ("James I of England", "James the first of England"),
        ("in part I think", "in part I think"),
        ("then James I know", "then James I know"),
        ("Chapter IIII", "Chapter IIII"),
        ("Louis C", "Louis C"),
        ("I am VI", "I am VI"),
        ("Henry I'm", "Henry I'm"),
        ("Star Trek III.", "Star Trek three."),
        ("an IV drip, MIX, XL", "an IV drip, MIX, XL"),
        ("Scene iii, page iv", "Scene three, page four"),
        ("the part i like, type x", "the part i like, type x"),
        ("(ii) of f(xi)", "(two) of f(xi)"),
    ],
)
def test_only_after_names_and_numbered_things(written: str, words: str) -> None:
    draft = Draft(written, AMERICAN)
    draft.apply(*RULES)
    assert draft.text == words


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("CHAPTER IV", "Chapter four"),
        ("CHAPTER V. THE SEA", "Chapter five. The sea"),
        ("CHAPTER I.", "Chapter one."),
        ("CHAPTER CXXXV. THE CHASE", "Chapter one hundred thirty five. The chase"),
        ("ADVENTURE VI. THE MAN WITH THE TWISTED LIP", "Adventure six. The man with the twisted lip"),
        ("ACT I", "Act one"),
        ("ACT V, SCENE II", "Act five, scene two"),
        ("LETTER I", "Letter one"),
        ("FYTTE III", "Fytte three"),
        ("Sonnet IV", "Sonnet four"),
        ("SONNET CXLIV", "Sonnet one hundred forty four"),
        ("STAVE I: MARLEY'S GHOST", "Stave one: Marley's ghost"),
        ("VOL. II", "Volume two"),
        ("IV", "Four"),
        ("XII.", "Twelve."),
        ("I. THE SEA", "One. The sea"),
        ("V. CONCLUSION", "Five. Conclusion"),
        ("He slept.\n\nII\n\nHe woke.", "He slept.\n\nTwo.\n\nHe woke."),
        ("HENRY VIII", "Henry the Eighth"),
        ("POPE JOHN PAUL II CAME.", "Pope John Paul the Second came."),
        ("King Zog II and Henry IV and V", "King Zog the Second and Henry the Fourth and the Fifth"),
        ("See vol. ii, pp. xii and ch. iv.", "See volume two, pages twelve and chapter four."),
        ("See p. v, pp. iv–ix and Vols. I and II.", "See page five, pages four to nine and volumes one and two."),
        ("Printed in MDCCCXII.", "Printed in eighteen twelve."),
        ("LONDON: MDCCCXCII", "London: eighteen ninety two"),
        ("Chapter 01", "Chapter one"),
        ("Part 02: The Fall", "Part two: The fall"),
        ("Plate IV shows it.", "Plate four shows it."),
        ("It is in Leviticus, xvii, 7.", "It is in Leviticus, seventeen, seven."),
        ("He told of the XXXIX Articles.", "He told of the thirty nine articles."),
        ("I. THE FOLIO; II. the octavo; V. the others", "One. The folio; two. The octavo; five. The others"),
        ("I. A Lamp. V. The Five Pips. VI. The Lip.", "One. A lamp. Five. The five pips. Six. The lip."),
    ],
)
def test_headings_monarchs_and_pages(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Malcolm X spoke.", "Malcolm ex spoke."),
        ("Vitamin C helps.", "Vitamin see helps."),
        ("We follow plan C now.", "We follow plan see now."),
        ("He and I, then we left.", "He and aye, then we left."),
        ("My CV is on a CD.", "My see vee is on a see dee."),
        ("Washington DC", "Washington dee see"),
        ("Not I, he said.", "Not aye, he said."),
        ("V. S. Naipaul", "vee ess Naipaul"),
        ("an IV drip", "an eye vee drip"),
        ("Agent 007 is here.", "Agent zero zero seven is here."),
        ("He said no. I left.", "He said no. Aye left."),
    ],
)
def test_letters_and_words_are_no_numerals(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain)


@given(st.integers(1, 3999))
def test_every_number_has_a_numeral(number: int) -> None:
    assert is_numeral(written(number))


@pytest.mark.parametrize("word", ["DID", "LIVID", "CIVIC", "MILD", "IIII", "VX", ""])
def test_words_are_no_numerals(word: str) -> None:
    assert not is_numeral(word)
