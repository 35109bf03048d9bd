"""Tags of the offline tagger."""

import subprocess
import sys

import pytest

from engine.g2p.tagger import PartOfSpeechTagger, load_tagger


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
def test_tags(tagger: PartOfSpeechTagger, sentence: str, tags: str) -> None:
    assert tagger.tag(sentence.split()) == tags.split()


def test_unknown_words_are_guessed(tagger: PartOfSpeechTagger) -> None:
    words = ["zorgification", "Zorgonia", "zorgly", "zorging", "123"]
    assert [tagger.tag([word])[0] for word in words] == ["NN", "NNP", "RB", "VBG", "CD"]


def test_odd_words_have_tags_too(tagger: PartOfSpeechTagger) -> None:
    assert len(tagger.tag(["", "\ud800", "🙂", "$", "..."])) == 5
    assert tagger.tag([]) == []


def test_loading_it_does_not_import_textblob() -> None:
    code = (
        "import sys; from engine.g2p.tagger import load_tagger; load_tagger({}); assert 'textblob' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
