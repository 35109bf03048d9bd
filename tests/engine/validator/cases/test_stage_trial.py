"""One stage tried on any inputs."""

from collections.abc import Iterator

import numpy as np
import pytest

from engine.errors import InvalidRequest
from engine.runtime.pipeline import initial_values
from engine.speech import Array, SpeechRequest, Style
from engine.stages import stage_named
from engine.validator.cases.stage_trial import StageTrials, only
from engine.validator.data.results import Regime, ValidationRequest
from engine.validator.runs.validation import Validator, ignore
from tests.starter_voices import MALE

PHONEMES = "həlˈO"
REQUEST = ValidationRequest(
    SpeechRequest("Hello", MALE), regimes=(Regime.STATIC_PACKED, Regime.STATIC_NO_PACK), padding=2.0
)


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    made = Validator()
    yield made
    made.close()


def trials_of(validator: Validator, regime: str, stage: str = "text_encoder") -> StageTrials:
    return StageTrials(validator.prepare(REQUEST), REQUEST, regime, stage_named(stage), ignore)


def inputs_of(validator: Validator) -> dict[str, Array]:
    config = validator.prepare(REQUEST).checkpoint.config
    style = Style(np.zeros(config.style_dim, np.float32), np.zeros(config.style_dim, np.float32))
    values = initial_values(config, PHONEMES, style, 1.0)
    return {name: values[name] for name in ("tokens", "token_count")}


def test_a_wrong_stage_fails_and_is_witnessed(validator: Validator) -> None:
    trials = trials_of(validator, Regime.STATIC_NO_PACK)
    trial = trials.on_inputs(inputs_of(validator))
    assert trial.fails
    assert trials.witnessed(trial)
    elements = trial.elements()
    assert elements.first is not None
    assert trial.worst.output == "phoneme_features"


def test_a_right_stage_does_not_fail(validator: Validator) -> None:
    trials = trials_of(validator, Regime.STATIC_PACKED)
    trial = trials.on_inputs(inputs_of(validator))
    assert not trial.fails
    assert not trials.witnessed(trial)


def test_what_no_float32_computes_well_is_not_the_regimes_fault(validator: Validator) -> None:
    trials = trials_of(validator, Regime.STATIC_NO_PACK)
    trial = trials.on_inputs(inputs_of(validator))
    trials._witness = trials._chain  # a witness that is wrong as well
    assert not trials.witnessed(trial)
    trials.trust(trial)
    assert trials.witnessed(trial)


def test_only_regimes_that_are_compared_can_be_tried(validator: Validator) -> None:
    with pytest.raises(InvalidRequest, match=r"“compiled” is not compared.*static-packed, static-no-pack"):
        trials_of(validator, Regime.COMPILED)


def test_inputs_that_it_does_not_take_are_refused(validator: Validator) -> None:
    trials = trials_of(validator, Regime.STATIC_PACKED)
    with pytest.raises(ValueError, match="takes tokens, token_count"):
        trials.on_inputs({"tokens": np.zeros((1, 3), np.int32)})


def test_a_request_is_narrowed_to_a_regime() -> None:
    crossed = ValidationRequest(REQUEST.speech, probes=True, arrays_folder="there", cross=(("bert", Regime.DYNAMIC),))
    alone = only(crossed, Regime.COMPILED)
    assert (alone.regimes, alone.cross, alone.probes, alone.arrays_folder) == ((Regime.COMPILED,), (), False, None)
    assert only(crossed, "compiled+bert=dynamic").cross == crossed.cross
    assert only(crossed, "compiled+bert=dynamic").regimes == ()
