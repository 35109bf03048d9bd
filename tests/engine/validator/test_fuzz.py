"""Random utterances of all lengths."""

import pytest

from engine.errors import InvalidRequest
from engine.model_store.checkpoints import Checkpoint, open_checkpoint
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED, SpeechRequest
from engine.validator.fuzz import fuzz, random_utterances
from engine.validator.results import Regime, ValidationRequest

REQUEST = ValidationRequest(SpeechRequest("", "am_rowan"), regimes=(Regime.COMPILED,))


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return open_checkpoint()


def test_lengths_reach_from_one_to_all_the_model_takes(checkpoint: Checkpoint) -> None:
    spoken = list(random_utterances(checkpoint, 300, seed=0))
    lengths = [len(one.utterance.phonemes) for one in spoken]
    limit = checkpoint.config.phoneme_limit
    assert min(lengths) == 1
    assert max(lengths) == limit
    assert sum(length <= limit**0.5 for length in lengths) == pytest.approx(150, abs=40)


def test_utterances_are_speakable(checkpoint: Checkpoint) -> None:
    spoken = list(random_utterances(checkpoint, 100, seed=1))
    assert all(set(one.utterance.phonemes) <= set(checkpoint.config.vocab) for one in spoken)
    assert all(SLOWEST_SPEED <= one.speed <= FASTEST_SPEED for one in spoken)
    assert {one.voice.info.name for one in spoken} == set(checkpoint.voices)


def test_the_seed_fixes_the_utterances(checkpoint: Checkpoint) -> None:
    def phonemes(seed: int) -> list[str]:
        return [one.utterance.phonemes for one in random_utterances(checkpoint, 5, seed)]

    assert phonemes(3) == phonemes(3) != phonemes(4)


def test_the_compiled_starter_stays_within_tolerance() -> None:
    found = fuzz(REQUEST, 6)
    assert found.passed
    assert (found.utterances, found.within_tolerance, found.failed) == (6, 6, ())
    assert {row.stage for row in found.worst} >= {"bert", "alignment", "istft"}


def test_a_wrong_regime_is_caught() -> None:
    request = ValidationRequest(SpeechRequest("", "am_rowan"), regimes=(Regime.STATIC_NO_PACK,))
    found = fuzz(request, 3)
    assert not found.passed
    assert found.within_tolerance == 0
    assert {row.stage for row in found.failed} >= {"duration", "text_encoder"}


@pytest.mark.parametrize("count", [0, -1, 10**9])
def test_a_count_out_of_range_is_refused(count: int) -> None:
    with pytest.raises(InvalidRequest, match="cannot be tried"):
        fuzz(REQUEST, count)
