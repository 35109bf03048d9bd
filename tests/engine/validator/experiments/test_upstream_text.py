"""kokoro's own way to phonemes is that of `kokoro.KPipeline`."""

import pytest
from kokoro import KPipeline
from misaki import en

from engine.text.g2p.analysis import load_offline_analyser
from engine.validator.experiments import upstream_text
from engine.validator.experiments.upstream_text import UpstreamText

SENTENCES = (
    "“We should turn back,” said the guide — before it's dark!",
    "I read the live record that you read to me.",
    "The zorblat cost $4.50 on March 3, 1987.",
    "A [Kokoro](/kˈOkəɹO/) line.\n\nAnd  another\nline.",
)


@pytest.mark.parametrize("british", [False, True])
def test_phonemes_are_those_of_its_pipeline(british: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def initialise(self: en.G2P, trf: bool, british: bool, fallback: object, unk: str) -> None:
        upstream_text._TaggedG2P.__init__(self, british, load_offline_analyser)
        self.fallback, self.unk = fallback, unk

    monkeypatch.setattr(en.G2P, "__init__", initialise)
    pipeline = KPipeline("b" if british else "a", repo_id="hexgrad/Kokoro-82M", model=False)
    ours = UpstreamText(british, load_offline_analyser)
    for text in SENTENCES:
        assert ours.phonemes(text) == " ".join(result.phonemes for result in pipeline(text))


def test_a_sentence_that_misaki_fails_on_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise TypeError("unexpected")

    ours = UpstreamText(False, load_offline_analyser)
    monkeypatch.setattr(en.Lexicon, "get_word", failing)
    assert ours.phonemes("Hello.") is None


def test_without_espeak_unknown_words_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(british: bool) -> None:
        raise RuntimeError("espeak is not installed")

    monkeypatch.setattr(upstream_text.espeak, "EspeakFallback", missing)
    assert UpstreamText(False, load_offline_analyser).phonemes("The zorblat.") == "ðə ."
