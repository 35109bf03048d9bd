"""Tests with random utterances of all lengths."""

from contextlib import closing

import pytest

from engine.errors import InvalidRequest
from engine.models.checkpoints import Checkpoint, open_checkpoint
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED, SpeechRequest
from engine.validator.data.results import Regime, RowEvent, ValidationRequest
from engine.validator.experiments.fuzz import FuzzReport, fuzz, random_utterances
from engine.validator.experiments.progress import ExperimentEvent, ProgressEvent
from engine.validator.runs.validation import Validator
from tests.starter_voices import MALE

SEED_OF_FAST_SPEECH = 277
"""A seed that makes the longest utterance fast."""
REQUEST = ValidationRequest(SpeechRequest("", MALE, seed=SEED_OF_FAST_SPEECH), regimes=(Regime.COMPILED,))


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


@pytest.fixture(scope="module")
def events() -> list[ExperimentEvent]:
    return []


@pytest.fixture(scope="module")
def found(events: list[ExperimentEvent]) -> FuzzReport:
    return fuzz(REQUEST, 6, events.append)


def test_the_compiled_starter_stays_within_tolerance(found: FuzzReport) -> None:
    assert found.passed
    assert (found.utterances, found.within_tolerance, found.failed) == (6, 6, ())
    assert {row.stage for row in found.worst} >= {"bert", "alignment", "istft"}


def test_progress_is_reported_after_every_utterance_with_the_remaining_time(
    found: FuzzReport, events: list[ExperimentEvent]
) -> None:
    progress = [event for event in events if isinstance(event, ProgressEvent)]
    assert [(event.done, event.total) for event in progress] == [(number, 6) for number in range(1, 7)]
    assert progress[0].seconds_left is not None
    assert progress[-1].seconds_left == 0
    order = [
        event.done if isinstance(event, ProgressEvent) else event.row.utterance
        for event in events
        if isinstance(event, ProgressEvent | RowEvent)
    ]
    assert order == sorted(order)


def test_an_utterance_can_be_had_again_by_its_phonemes(found: FuzzReport, checkpoint: Checkpoint) -> None:
    spoken = list(random_utterances(checkpoint, 6, SEED_OF_FAST_SPEECH))
    assert [one.utterance for one in spoken] == list(found.report.utterances)
    one = min(spoken, key=lambda one: len(one.utterance.phonemes))
    speech = SpeechRequest("", one.voice.info.name, one.speed, one.seed)
    again = ValidationRequest(speech, regimes=(Regime.COMPILED,), phonemes=one.utterance.phonemes)
    with closing(Validator()) as validator:
        rows = validator.validate(again).rows
    first = [row.metrics for row in found.report.rows if row.utterance == one.utterance.index]
    assert [row.metrics for row in rows] == first


def test_a_wrong_regime_is_caught() -> None:
    request = ValidationRequest(SpeechRequest("", MALE), regimes=(Regime.STATIC_NO_PACK,))
    found = fuzz(request, 1)
    assert not found.passed
    assert found.within_tolerance == 0
    assert {row.stage for row in found.failed} >= {"duration", "text_encoder"}


@pytest.mark.parametrize("count", [0, -1, 10**9])
def test_a_count_out_of_range_is_refused(count: int) -> None:
    with pytest.raises(InvalidRequest, match="are out of range"):
        fuzz(REQUEST, count)
