"""Tests of the program that tries modules: invented values, the reference, and its reaction to a difference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import CPU, Manifest
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.runtime.preparation import module_probe
from engine.runtime.preparation.module_probe import Case, made_up_inputs, made_up_weights, relative_difference
from engine.runtime.preparation.probes import ProbeTrial, TrialRequest, run_probe, tried
from engine.runtime.runners.base import check_inputs
from engine.stages import stage_named
from tests.engine.runtime.preparation.tried_modules import BUILT, MACS, STAGES, built_folder
from tests.patience import PATIENCE_SECONDS

TRIAL = ProbeTrial("try", STAGES, ((5,), (9,), (9, 1, 4)), calls=2)


@pytest.fixture(scope="module")
def request_here(tiny_config: ModelConfig) -> TrialRequest:
    """The CPU's modules, tried against themselves."""
    folder = built_folder(tiny_config, CPU)
    return TrialRequest(TRIAL, tiny_config, folder, {"same": folder})


class Wrong:
    """Runs like the wrapped runner, but a value is wrong in the nth call."""

    def __init__(self, runner, at_call, value):
        self.runner, self.at_call, self.value, self.calls = runner, at_call, value, 0

    def run_stage(self, stage, inputs):
        outputs = {name: np.array(array) for name, array in self.runner.run_stage(stage, inputs).items()}
        self.calls += 1
        if self.calls == self.at_call:
            next(iter(outputs.values())).flat[0] = self.value
        return outputs

    def close(self):
        self.runner.close()


def test_modules_that_match_the_reference_are_timed(request_here):
    (name, seconds), *others = tried(request_here).items()
    assert (name, others) == ("same", [])
    assert seconds > 0


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e3])
def test_a_wrong_value_in_any_call_is_found(request_here, monkeypatch, value):
    runners = []
    real = module_probe.CompiledRunner

    def runner(*arguments, **options):
        runners.append(real(*arguments, **options))
        return runners[0] if len(runners) == 1 else Wrong(runners[-1], 11, value)

    monkeypatch.setattr(module_probe, "CompiledRunner", runner)
    with pytest.raises(EngineError, match="same differs by"):
        tried(request_here)


def test_lengths_vary_between_calls_and_only_single_sequences_are_timed(request_here, monkeypatch):
    ran = []

    def run(case, name, runner):
        ran.append((case.stage.name, len(case.inputs["token_count"]), int(case.inputs["token_count"].max())))
        return 1.0 if len(ran) > 6 else 2.0

    monkeypatch.setattr(Case, "run_case", run)
    seconds = module_probe.measured_seconds(request_here)
    once = [(stage, batch, most) for batch, most in ((1, 5), (1, 9), (3, 9)) for stage in STAGES]
    assert ran == [*once, *once]
    assert seconds == {"same": 4.0}


def test_a_missing_metal_device_is_reported(request_here, tiny_config):
    request = replace(request_here, tried={"metal": built_folder(tiny_config, BUILT[MACS])})
    result = run_probe(request, PATIENCE_SECONDS)
    assert not result.works
    assert "no Metal device" in result.why
    assert len(result.why.splitlines()) == 1


def test_made_up_inputs_match_the_stage_declaration(tiny_config):
    for name in STAGES:
        stage = stage_named(name)
        inputs = made_up_inputs(stage, tiny_config, (4, 2))
        check_inputs(tiny_config, stage, inputs)
        assert inputs["token_count"].tolist() == [4, 2]


def test_made_up_weights_preserve_the_magnitude_of_the_signal(tiny_config):
    weights = made_up_weights(Manifest.load(built_folder(tiny_config, CPU)), ("text_encoder",))
    assert all(name.startswith("text_encoder.") for name in weights)
    kernel = weights["text_encoder.cnn.0.0.weight"]
    assert np.linalg.norm(kernel[0]) == pytest.approx(1, abs=0.3)


def test_the_difference_is_relative_to_the_reference():
    truth = np.array([3.0, 4.0])
    assert relative_difference(truth, truth) == 0
    assert relative_difference(truth * 1.5, truth) == pytest.approx(0.5)
