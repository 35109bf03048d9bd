"""Tests of every way of running the model, and of requests that are refused."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import CPU
from engine.errors import InvalidRequest, MissingModel
from engine.models.checkpoints import Checkpoint, open_checkpoint
from engine.network.weights import Weights
from engine.runtime.pipeline import Step
from engine.runtime.preparation.modules import find_modules
from engine.speech import PreparationEvent, SpeechRequest, Utterance
from engine.stages import STAGE_NAMES, stage_named
from engine.validator.data.results import STUDENT_REGIMES, Regime, ValidationRequest
from engine.validator.faults.catalog import fault_named
from engine.validator.runners import regimes as validator_regimes
from engine.validator.runners.fault_injection import (
    describe_fault_verdict,
    fault_injection_regimes,
    fault_injection_text,
)
from engine.validator.runners.regimes import (
    PADDED_REGIMES,
    STUDENT_TOLERANCE,
    RegimeRunner,
    Regimes,
    check_choices,
    mixed_runner,
)
from engine.validator.runs.validation import Validator
from tests.engine.students import students_installed
from tests.starter_voices import MALE

UTTERANCE = Utterance(0, "hello there", "həlˈO ðˈɛɹ.", 0, 11)
PADDING = 2.0
STUDENT_STAGES = ("duration", "f0n", "text_encoder")


@pytest.fixture(scope="module")
def regimes() -> Iterator[Regimes]:
    made = Regimes(open_checkpoint())
    with students_installed():
        yield made
    made.close()


def opened(regimes: Regimes, regime: Regime) -> RegimeRunner:
    return regimes.open(regime, PADDING, lambda _: None)


def steps(regimes: Regimes, runner: RegimeRunner) -> dict[str, Step]:
    voice = next(iter(regimes.checkpoint.voices.values()))
    chain = regimes.pipeline(runner).steps(UTTERANCE, voice.style(len(UTTERANCE.phonemes)), 1.0, 0)
    return {step.stage.name: step for step in chain}


@pytest.mark.parametrize("regime", Regime)
def test_every_regime_runs_every_stage(regimes: Regimes, regime: Regime) -> None:
    made = steps(regimes, opened(regimes, regime))
    assert tuple(made) == STAGE_NAMES
    assert np.isfinite(made["istft"].outputs["audio"]).all()


@pytest.mark.parametrize("regime", [Regime.STATIC_PACKED, Regime.COMPILED, Regime.COMPILED_PADDED])
def test_packed_regimes_match_the_reference_audio(regimes: Regimes, regime: Regime) -> None:
    truth = steps(regimes, opened(regimes, Regime.DYNAMIC))["istft"].outputs["audio"]
    ours = steps(regimes, opened(regimes, regime))["istft"].outputs["audio"]
    assert np.corrcoef(truth.ravel(), ours.ravel())[0, 1] > 0.99999


def test_compiled_students_match_the_same_students_in_pytorch(regimes: Regimes) -> None:
    in_torch, compiled = (steps(regimes, opened(regimes, regime)) for regime in STUDENT_REGIMES)
    for stage in ("duration", "text_encoder", "alignment"):
        for name, theirs in in_torch[stage].outputs.items():
            np.testing.assert_allclose(compiled[stage].outputs[name], theirs, rtol=0, atol=1e-3)
    truth = steps(regimes, opened(regimes, Regime.DYNAMIC))
    assert not np.allclose(
        compiled["duration"].outputs["duration_logits"], truth["duration"].outputs["duration_logits"]
    )


def test_students_are_in_no_other_stage(regimes: Regimes) -> None:
    compiled, distilled = opened(regimes, Regime.COMPILED), opened(regimes, Regime.DISTILLED)
    for name, step in steps(regimes, compiled).items():
        again = regimes.pipeline(distilled).step(step.stage, step.inputs)
        equal = all(np.array_equal(array, again.outputs[output]) for output, array in step.outputs.items())
        assert equal != (name in STUDENT_STAGES)


def test_students_are_held_to_less_by_their_teacher(regimes: Regimes) -> None:
    for regime in Regime:
        tolerance_of = opened(regimes, regime).tolerance_of
        expected = STUDENT_TOLERANCE if regime in STUDENT_REGIMES else 0.99999
        assert tolerance_of(stage_named("duration")) == expected


def test_an_injected_fault_also_affects_the_modules_around_the_students(regimes: Regimes) -> None:
    fresh = Regimes(regimes.checkpoint)
    before = opened(fresh, Regime.DISTILLED).runner
    fresh.plant("zeroed-noise")
    assert opened(fresh, Regime.DISTILLED).runner is not before
    fresh.close()


def test_students_that_are_not_there_are_missed_with_a_sentence(regimes: Regimes) -> None:
    other = replace(regimes.checkpoint, name="kokoro-82m")
    for regime in STUDENT_REGIMES:
        with pytest.raises(MissingModel, match=r"No Transformer .* installed for kokoro-82m"):
            opened(Regimes(other), regime)


def test_the_text_encoder_differs_without_packing(regimes: Regimes) -> None:
    name = "phoneme_features"
    truth = steps(regimes, opened(regimes, Regime.DYNAMIC))["text_encoder"].outputs[name]
    ours = steps(regimes, opened(regimes, Regime.STATIC_NO_PACK))["text_encoder"].outputs[name]
    assert np.corrcoef(truth.ravel(), ours.ravel())[0, 1] < 0.99


def test_only_padded_regimes_leave_something_in_the_padding(regimes: Regimes) -> None:
    for regime in Regime:
        runner = opened(regimes, regime)
        steps(regimes, runner)
        assert (runner.tail("audio") is not None) == (regime in PADDED_REGIMES)


def test_each_load_is_reported_once(regimes: Regimes) -> None:
    told: list[PreparationEvent] = []
    fresh = Regimes(regimes.checkpoint)
    for regime in (Regime.DYNAMIC, Regime.UPSTREAM, Regime.DYNAMIC):
        fresh.open(regime, 0, told.append)
    (event,) = told
    assert "PyTorch" in event.title


@pytest.mark.parametrize("probes", [False, True])
def test_the_compiled_regime_uses_speech_modules_and_weights_regardless_of_activations(
    regimes: Regimes, monkeypatch: pytest.MonkeyPatch, probes: bool
) -> None:
    kept: list[Path] = []
    monkeypatch.setattr(
        validator_regimes, "ensure_modules", lambda *_: find_modules(regimes.checkpoint.config, CPU).folder
    )

    def ensure_weights(checkpoint: Checkpoint, folder: Path, *_: object) -> Weights:
        kept.append(folder)
        return checkpoint.load_weights()

    monkeypatch.setattr(validator_regimes, "ensure_weights", ensure_weights)
    opened(Regimes(regimes.checkpoint, probes), Regime.COMPILED).runner.close()
    assert kept == [find_modules(regimes.checkpoint.config, CPU).folder]


def test_a_crossed_regime_takes_each_stage_from_its_assigned_regime(regimes: Regimes) -> None:
    dynamic, compiled = opened(regimes, Regime.DYNAMIC), opened(regimes, Regime.COMPILED)
    runner = mixed_runner({"decoder": dynamic}, compiled)
    assert runner.name == "compiled+decoder=dynamic"
    mixed, pure = steps(regimes, runner), steps(regimes, compiled)
    decoded = regimes.pipeline(dynamic).step(pure["decoder"].stage, pure["decoder"].inputs)
    assert np.array_equal(mixed["f0n"].outputs["f0"], pure["f0n"].outputs["f0"])
    assert np.array_equal(mixed["decoder"].outputs["phase"], decoded.outputs["phase"])


@pytest.mark.parametrize(
    "options",
    [
        {"device": "abacus"},
        {"lstm_method": "guess"},
        {"padding": -1.0},
        {"padding": float("nan")},
        {"padding": 1e9},
        {"cross": (("mouth", Regime.DYNAMIC),)},
    ],
)
def test_unavailable_choices_are_refused_with_the_available_ones(options: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest) as caught:
        check_choices(ValidationRequest(SpeechRequest("x", MALE), **options))
    assert caught.value.hint


def test_the_method_mps_needs_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ValidationRequest(SpeechRequest("x", MALE), lstm_method="mps")
    monkeypatch.setattr(validator_regimes, "metal_unavailable_reason", lambda: "Metal needs a Mac")
    with pytest.raises(InvalidRequest, match="mps isn’t available here: Metal needs a Mac"):
        check_choices(wanted)
    monkeypatch.setattr(validator_regimes, "metal_unavailable_reason", lambda: None)
    check_choices(wanted)


TEXT = "Hello there, how are you today?"


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    made = Validator()
    yield made
    made.close()


@pytest.fixture(scope="module")
def report(validator):
    """The report on an injected fault: a wrong epsilon in a layer norm of the text encoder."""
    fault = fault_named("norm-epsilon")
    request = ValidationRequest(SpeechRequest(TEXT, MALE), regimes=fault_injection_regimes(fault), fault=fault.name)
    return validator.validate(request)


def test_modules_are_healthy_again_after_a_fault_injection(validator, report):
    assert not report.passed
    healthy = validator.validate(ValidationRequest(SpeechRequest(TEXT, MALE), regimes=(Regime.COMPILED,)))
    assert healthy.passed
    assert healthy.planted is None
    assert fault_injection_text(healthy) == ""


def test_the_text_names_the_kernel_and_shows_the_change(report):
    words = fault_injection_text(report)
    assert "Kernel: layer_norm of stage text_encoder" in words
    assert "+ T.float64(0.1))" in words


def test_a_fault_in_a_stage_other_than_the_blamed_one_is_missed(report):
    assert (
        describe_fault_verdict(report, replace(report.planted, stage="bert"))
        == "Missed: the fault is in Text features."
    )


def test_nothing_is_found_if_no_stage_is_wrong(report):
    assert describe_fault_verdict(replace(report, rows=()), report.planted).startswith("Missed: every stage")
