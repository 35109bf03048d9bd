"""Part of speech of homographs by their neighbours."""

import pytest

from engine.g2p import Phonemizer
from engine.g2p.homographs import settle
from engine.g2p.tagger import PartOfSpeechTagger, load_tagger
from tests.engine.g2p.plain_words import same_as

VERBS = ("record", "live", "lives", "present", "object", "bow", "tear", "wind", "project", "desert")
NOUNS = ("use", "excuse", "increase", "refuse", "produce", "permit", "content")
HOMOGRAPHS = {
    **{word: {"VERB"} for word in VERBS},
    **{word: {"NOUN"} for word in NOUNS},
    **{word: {"VBD", "VBN", "VBP"} for word in ("read", "wound")},
    **{word: {"ADJ"} for word in ("minute", "bass", "elaborate")},
    "close": {"NOUN", "VERB"},
}


@pytest.fixture(scope="module")
def tagger() -> PartOfSpeechTagger:
    return load_tagger(HOMOGRAPHS)


@pytest.mark.parametrize(
    ("word", "sentence", "tag"),
    [
        ("record", "They record the song", "VB"),
        ("record", "The record was broken", "NN"),
        ("live", "We live here", "VB"),
        ("live", "a live show", "NN"),
        ("lives", "Smith lives on the hill", "VBZ"),
        ("lives", "their lives are good", "NNS"),
        ("object", "The contents object to that", "VB"),
        ("present", "He will present it", "VB"),
        ("Close", "Close the door", "VB"),
        ("close", "They are close friends", "JJ"),
        ("close", "a close friend", "JJ"),
        ("use", "I use it", "VB"),
        ("use", "of no use", "NN"),
        ("increase", "to increase the price", "VB"),
        ("increase", "an increase in sales", "NN"),
        ("read", "I read the book", "VBD"),
        ("read", "I always read the book", "VB"),
        ("read", "I have read it", "VBN"),
        ("read", "It was read aloud", "VBN"),
        ("read", "I want to read", "VB"),
        ("wound", "She wound the clock", "VBD"),
        ("wound", "The wound healed", "NN"),
        ("minute", "a minute amount", "JJ"),
        ("minute", "wait a minute", "NN"),
        ("bass", "the bass guitar", "JJ"),
        ("bass", "we caught a bass", "NN"),
        ("content", "He is content", "JJ"),
        ("elaborate", "an elaborate plan", "JJ"),
        ("elaborate", "please elaborate", "VB"),
        ("refuse", "do not refuse", "VB"),
        ("desert", "in the desert", "NN"),
        ("US", "the US army", "NNP"),
    ],
)
def test_neighbours_decide(tagger: PartOfSpeechTagger, word: str, sentence: str, tag: str) -> None:
    words = sentence.split()
    assert tagger.tag(words)[words.index(word)] == tag


def test_capitals_are_names_unless_everything_is_shouted() -> None:
    assert settle(["HELP", "US"], ["VB", "PRP"], {}) == ["VB", "PRP"]
    assert settle(["the", "IT", "staff"], ["DT", "PRP", "NN"], {}) == ["DT", "NNP", "NN"]
    assert settle(["vitamin", "A"], ["NN", "DT"], {}) == ["NN", "NN"]
    assert settle(["the", "A", "four"], ["DT", "DT", "CD"], {}) == ["DT", "NN", "CD"]
    assert settle(["Q", "and", "A"], ["NN", "CC", "DT"], {}) == ["NN", "CC", "NN"]
    assert settle(["A", "or", "B"], ["DT", "CC", "NN"], {}) == ["NN", "CC", "NN"]
    assert settle(["A", "and", "the"], ["DT", "CC", "DT"], {}) == ["DT", "CC", "DT"]
    assert settle(["(", "A", "cat"], ["-LRB-", "DT", "NN"], {}) == ["-LRB-", "DT", "NN"]


def test_other_words_keep_their_tags() -> None:
    assert settle(["the", "cat"], ["DT", "NN"], HOMOGRAPHS) == ["DT", "NN"]
    assert settle([], [], HOMOGRAPHS) == []


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("He took a bow and left.", "He took a bough and left."),
        ("He made a low bow.", "He made a low bough."),
        ("She answered with a bow.", "She answered with a bough."),
        ("He stood in the bow of the ship.", "He stood in the bough of the ship."),
        ("She drew her bow and shot an arrow.", "She drew her beau and shot an arrow."),
        ("with a bow in her hair", "with a beau in her hair"),
        ("He took his bow and arrows.", "He took his beau and arrows."),
        ("The pipe was made of lead.", "The pipe was made of led."),
        ("It was as heavy as lead.", "It was as heavy as led."),
        ("a lead pipe, tin and lead", "a led pipe, tin and led"),
        ("He took the lead.", "He took the lede."),
        ("She will lead us.", "She will lede us."),
        ("The lead singer left.", "The lede singer left."),
        ("They lead the way.", "They lede the way."),
        ("all roads that lead to Rome", "all roads that lede to Rome"),
    ],
)
def test_bows_and_lead(american: Phonemizer, written: str, plain: str) -> None:
    assert same_as(american, written, plain.replace("lede", "[lede](/lˈid/)"))


@pytest.mark.parametrize(
    ("text", "phonemes"),
    [
        ("houses", "hˈWzᵻz"),
        ("Brontë", "bɹˈɑnti"),
        ("the Brontës", "ðə bɹˈɑntiz"),
        ("Charlotte Bronte", "ʃˈɑɹlət bɹˈɑnti"),
    ],
)
def test_words_that_misaki_has_wrong(american: Phonemizer, text: str, phonemes: str) -> None:
    assert american.plan(text).utterances[0].phonemes == phonemes
