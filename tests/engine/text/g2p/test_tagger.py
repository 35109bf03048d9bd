import subprocess
import sys

import pytest

from engine.text.g2p.homographs import correct_tags
from engine.text.g2p.tagger import (
    ANY,
    ContextRule,
    PartOfSpeechTagger,
    TagLexicon,
    load_tagger,
    read_context,
    read_morphology,
    rules_by_tag,
    table_lines,
    tables_folder,
)
from tests.engine.text.g2p.plain_words import same_as


@pytest.fixture(scope="module")
def tagger() -> PartOfSpeechTagger:
    return load_tagger({"record": {"VERB"}, "live": {"VERB"}})


@pytest.mark.parametrize(
    ("sentence", "tags"),
    [
        ("The cat saw a dog .", "DT NN VBD DT NN ."),
        ("I want to run", "PRP VBP TO VB"),
        ("She sings 25 songs", "PRP VBZ CD NNS"),
        ("to record the live record", "TO VB DT NN NN"),
        ("“ Yes ” , he said -", "`` UH '' , PRP VBD HYPH"),
        ('" Yes " , he said , " no "', "`` UH '' , PRP VBD , `` DT ''"),
    ],
)
def test_tags(tagger, sentence, tags):
    assert tagger.tag(sentence.split()) == tags.split()


def test_unknown_words_are_guessed(tagger):
    words = ["zorgification", "Zorgonia", "zorgly", "zorging", "123"]
    assert [tagger.tag([word])[0] for word in words] == ["NN", "NNP", "RB", "VBG", "CD"]


def test_odd_words_have_tags_too(tagger):
    assert len(tagger.tag(["", "\ud800", "🙂", "$", "..."])) == 5
    assert tagger.tag([]) == []


def test_loading_it_does_not_import_textblob():
    code = (
        "import sys; from engine.text.g2p.tagger import load_tagger; load_tagger({}); print('textblob' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"


def test_comments_and_blank_lines_are_skipped():
    assert list(table_lines("\ufeff;;; a comment\n\n x y \n")) == ["x y"]


def test_a_lexicon_takes_the_first_tag(tmp_path):
    path = tmp_path / "lexicon.txt"
    path.write_text(";;; a comment\n;;;\nbroken \nred NN|JJ\nrun VB\n", encoding="utf-8")
    lexicon = TagLexicon(path)
    assert dict(lexicon) == {"red": "NN", "run": "VB"}
    assert (len(lexicon), "broken" in lexicon, ";;;" in lexicon) == (2, False, False)


def test_the_lexicon_has_every_word_of_the_table():
    path = tables_folder() / "en-lexicon.txt"
    entries = (line.split(" ") for line in table_lines(path.read_text(encoding="utf-8")))
    expected = {word: tags.split("|")[0] for word, tags in entries}
    lexicon = TagLexicon(path)
    assert len(expected) > 90_000
    assert [word for word, tag in expected.items() if lexicon.get(word) != tag] == []


def test_morphology_rules_with_and_without_a_tag():
    plural, adverb = read_morphology("NN s fhassuf 1 NNS x\nly hassuf 2 RB x\n", {})
    assert (plural.before, plural.after, plural.applies("cats", "", "")) == ("NN", "NNS", True)
    assert (adverb.before, adverb.after, adverb.applies("slow", "", "")) == (None, "RB", False)


def test_morphology_knows_stems_and_neighbors():
    stem, before = read_morphology("un deletepref 2 JJ x\nNN the fgoodright NN x\n", {"happy"})
    assert stem.applies("unhappy", "", "")
    assert not stem.applies("uncle", "", "")
    assert before.applies("cat", "the", "")


def holds(line: str, words: str, tags: str, index: int) -> bool:
    (rule,) = read_context(line)
    return rule.applies(words.split(), tags.split(), index)


def test_context_rules_look_around():
    assert holds("NN VB PREVTAG TO", "to run", "TO NN", 1)
    assert not holds("NN VB PREVTAG TO", "the run", "DT NN", 1)
    assert holds("IN RB WDAND2AFT as as", "as good as", "IN JJ IN", 0)
    assert holds("JJ NN SURROUNDTAG DT .", "the good .", "DT JJ .", 1)
    assert holds("VBD VBN PREV1OR2WD have", "have not seen", "VB RB VBD", 2)


def test_rules_are_sorted_by_tag_and_any_means_all():
    rules = read_context("NN VB PREVTAG TO\n* IN CURWD with\n")
    by_tag = rules_by_tag(rules)
    assert [rule.after for rule in by_tag["NN"]] == ["VB", "IN"]
    assert [rule.after for rule in by_tag[ANY]] == ["IN"]
    assert all(isinstance(rule, ContextRule) for rule in by_tag["NN"])


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
def tagger_of_homographs() -> PartOfSpeechTagger:
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
def test_neighbors_decide(tagger_of_homographs, word, sentence, tag):
    words = sentence.split()
    assert tagger_of_homographs.tag(words)[words.index(word)] == tag


def test_capitals_are_names_unless_everything_is_shouted():
    assert correct_tags(["HELP", "US"], ["VB", "PRP"], {}) == ["VB", "PRP"]
    assert correct_tags(["the", "IT", "staff"], ["DT", "PRP", "NN"], {}) == ["DT", "NNP", "NN"]
    assert correct_tags(["vitamin", "A"], ["NN", "DT"], {}) == ["NN", "NN"]
    assert correct_tags(["the", "A", "four"], ["DT", "DT", "CD"], {}) == ["DT", "NN", "CD"]
    assert correct_tags(["Q", "and", "A"], ["NN", "CC", "DT"], {}) == ["NN", "CC", "NN"]
    assert correct_tags(["A", "or", "B"], ["DT", "CC", "NN"], {}) == ["NN", "CC", "NN"]
    assert correct_tags(["A", "and", "the"], ["DT", "CC", "DT"], {}) == ["DT", "CC", "DT"]
    assert correct_tags(["(", "A", "cat"], ["-LRB-", "DT", "NN"], {}) == ["-LRB-", "DT", "NN"]


def test_other_words_keep_their_tags():
    assert correct_tags(["the", "cat"], ["DT", "NN"], HOMOGRAPHS) == ["DT", "NN"]
    assert correct_tags([], [], HOMOGRAPHS) == []


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
def test_bows_and_lead(american, written, plain):
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
def test_words_that_misaki_has_wrong(american, text, phonemes):
    assert american.plan(text).utterances[0].phonemes == phonemes
