"""Part of speech of homographs by their neighbours."""

import pytest

from engine.g2p.homographs import settle
from engine.g2p.tagger import PartOfSpeechTagger, load_tagger

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
