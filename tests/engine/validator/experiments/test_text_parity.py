"""Our phonemes compared with Kokoro's own: five hundred sentences, and the reasons for differences."""

import json
from pathlib import Path

import pytest
from kokoro import KPipeline
from misaki import en

from engine.cli.validate import ENGLISH_SENTENCES
from engine.errors import InvalidRequest
from engine.text.g2p.analysis import load_offline_analyzer
from engine.validator.experiments import text_parity, upstream_text
from engine.validator.experiments.text_parity import DifferenceKind, compare_text, is_plain, sentences_of
from engine.validator.experiments.upstream_text import UpstreamText

ON_PURPOSE = {
    "'Twas a quiet night, and the fire had gone out.": "misaki finds “'twas” only in small letters, else it guesses",
}
"""Plain sentences that we pronounce differently on purpose."""


@pytest.fixture(autouse=True)
def without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes results independent of installed packages."""
    monkeypatch.setattr(text_parity, "load_model_analyzer", lambda: None)


@pytest.fixture(scope="module")
def sentences() -> tuple[str, ...]:
    return sentences_of(ENGLISH_SENTENCES)


@pytest.mark.parametrize(("language", "fewest_equal"), [("en-US", 455), ("en-GB", 440)])
def test_plain_sentences_are_equal_and_the_rest_is_explained(
    sentences: tuple[str, ...], language: str, fewest_equal: int
) -> None:
    parity = compare_text(sentences, language)
    assert parity.sentences == len(set(sentences)) == 500
    assert parity.plain >= 400
    assert {difference.text for difference in parity.differences if is_plain(difference.text)} == ON_PURPOSE.keys()
    assert parity.plain_equal == parity.plain - len(ON_PURPOSE)
    assert parity.explained
    assert parity.equal >= fewest_equal


def test_each_difference_has_its_reason() -> None:
    reasons = {
        "Wait... what?": DifferenceKind.PUNCTUATION,
        "It weighs 3.5 kg.": DifferenceKind.NUMBERS,
        "A naïve plan.": DifferenceKind.LETTERS,
        "Henry VIII met Prof. Lee.": DifferenceKind.WRITING,
    }
    found = compare_text([*reasons, "A plain one."])
    assert {difference.text: difference.kind for difference in found.differences} == reasons
    assert (found.equal, found.plain, found.plain_equal) == (1, 1, 1)
    assert found.explained
    assert json.loads(json.dumps(found.to_dict()))["differences"][0]["ours"] == "wˈAt… wˌʌt?"


@pytest.mark.parametrize(
    ("upstream", "kind"),
    [(None, DifferenceKind.FAILURE), ("həlˈO_.", DifferenceKind.SYMBOLS), ("jˈɛs.", DifferenceKind.PRONUNCIATION)],
)
def test_differences_absent_from_our_sample_sentences_are_classified(
    upstream: str | None, kind: DifferenceKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(UpstreamText, "phonemes", lambda self, text: upstream)
    (difference,) = compare_text(["Hello."]).differences
    assert difference.kind is kind
    assert difference.upstream == (upstream or "")


def test_only_english_can_be_compared() -> None:
    with pytest.raises(InvalidRequest, match="French"):
        compare_text(["Bonjour."], "fr-FR")


def test_a_file_is_read_by_lines(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("One.\n\n  Two. \n")
    assert sentences_of(file) == ("One.", "Two.")
    file.write_bytes(b"\xff")
    with pytest.raises(InvalidRequest, match="UTF-8"):
        sentences_of(file)
    with pytest.raises(InvalidRequest, match="be read"):
        sentences_of(tmp_path)


SENTENCES = (
    "“We should turn back,” said the guide — before it's dark!",
    "I read the live record that you read to me.",
    "The zorblat cost $4.50 on March 3, 1987.",
    "A [Kokoro](/kˈOkəɹO/) line.\n\nAnd  a second\nline.",
)


@pytest.mark.parametrize("british", [False, True])
def test_phonemes_are_those_of_its_pipeline(british: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def initialize(self: en.G2P, trf: bool, british: bool, fallback: object, unk: str) -> None:
        upstream_text._TaggedG2P.__init__(self, british, load_offline_analyzer)
        self.fallback, self.unk = fallback, unk

    monkeypatch.setattr(en.G2P, "__init__", initialize)
    pipeline = KPipeline("b" if british else "a", repo_id="hexgrad/Kokoro-82M", model=False)
    ours = UpstreamText(british, load_offline_analyzer)
    for text in SENTENCES:
        assert ours.phonemes(text) == " ".join(result.phonemes for result in pipeline(text))


def test_a_sentence_that_misaki_fails_on_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise TypeError("unexpected")

    ours = UpstreamText(False, load_offline_analyzer)
    monkeypatch.setattr(en.Lexicon, "get_word", failing)
    assert ours.phonemes("Hello.") is None


def test_without_espeak_unknown_words_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(british: bool) -> None:
        raise RuntimeError("espeak is not installed")

    monkeypatch.setattr(upstream_text.espeak, "EspeakFallback", missing)
    assert UpstreamText(False, load_offline_analyzer).phonemes("The zorblat.") == "ðə ."
