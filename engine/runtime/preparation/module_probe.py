"""Tests compiled modules on random weights and inputs.

Run it in a separate process, because a GPU's driver may crash it. It needs no model and no torch. The reference is the
output of the CPU's modules.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.compiler.artifacts.manifest import Manifest
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.network.weights import Weights
from engine.runtime.preparation.probes import TrialRequest
from engine.runtime.runners.base import COUNTS, Runner
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.speech import Array
from engine.stages import Stage, Tensor, stage_named

MAX_DIFFERENCE = 1e-3
"""The maximum relative error: far above the effect of summation order, far below that of any mistake."""
_VECTOR_SCALE = 0.5
"""The scale of biases and gains."""


class Different(EngineError):
    """A wrong result of the tested modules."""


def measured_seconds(request: TrialRequest) -> dict[str, float]:
    """Return the time of each of the tested modules, by name. Raises `Different` or the errors of `CompiledRunner`."""
    bench = ProbeModules(request)
    rounds = range(request.trial.calls)
    seconds = {}
    for name, folder in request.tried.items():
        with bench.opened(folder) as runner:
            seconds[name] = _seconds(
                bench.cases, [[case.run_case(name, runner) for case in bench.cases] for _ in rounds]
            )
    return seconds


def _seconds(cases: Sequence[Case], rounds: Sequence[Sequence[float]]) -> float:
    """Return the sum of the timed cases' shortest times over all rounds."""
    shortest: list[float] = [min(times) for times in zip(*rounds, strict=True)]
    return sum(seconds for case, seconds in zip(cases, shortest, strict=True) if case.is_timed)


class ProbeModules:
    """Opens the modules of a trial with the same weights, and holds its cases, with the results of the reference."""

    def __init__(self, request: TrialRequest) -> None:
        self._request = request
        self._weights = made_up_weights(Manifest.load(request.reference), request.trial.stages)
        stages = [stage_named(name) for name in request.trial.stages]
        with self.opened(request.reference) as reference:
            self.cases = [
                Case.made_up(stage, request.config, batch, reference)
                for batch in request.trial.batches
                for stage in stages
            ]

    def opened(self, folder: Path) -> closing[CompiledRunner]:
        """Open the modules in this folder for the duration of a `with` block. Raises the errors of `CompiledRunner`."""
        trial = self._request.trial
        return closing(CompiledRunner(folder, self._request.config, self._weights, stages=trial.stages))


@dataclass(frozen=True)
class Case:
    """Inputs for a stage and the reference outputs."""

    stage: Stage
    inputs: Mapping[str, Array]
    truth: Mapping[str, Array]

    @classmethod
    def made_up(cls, stage: Stage, config: ModelConfig, counts: Sequence[int], reference: Runner) -> Case:
        """Create a batch whose sequences have these token counts."""
        inputs = made_up_inputs(stage, config, counts)
        return cls(stage, inputs, reference.run_stage(stage, inputs))

    @property
    def counts(self) -> list[int]:
        """The token counts of its sequences."""
        return [int(count) for count in self.inputs[COUNTS["tokens"]]]

    @property
    def is_timed(self) -> bool:
        """True if it consists of one sequence, as in speech."""
        return len(self.counts) == 1

    def run_case(self, name: str, runner: Runner) -> float:
        """Run the case and return the time in seconds. Raises `Different`."""
        seconds, difference = self.measured(runner)
        if not is_right(difference):
            raise Different(f"{name} differs by {difference:.2g} of the values in the {self.stage.title.lower()}")
        return seconds

    def measured(self, runner: Runner) -> tuple[float, float]:
        """Run the case; return the seconds and the largest relative error of its outputs."""
        started = time.perf_counter()
        outputs = runner.run_stage(self.stage, self.inputs)
        seconds = time.perf_counter() - started
        return seconds, max(relative_difference(outputs[output], true) for output, true in self.truth.items())


def is_right(difference: float) -> bool:
    """Return whether the relative error is acceptable; NaN is not."""
    return difference <= MAX_DIFFERENCE


def made_up_weights(manifest: Manifest, stages: Sequence[str]) -> Weights:
    """Return random weights for these stages, scaled so that no layer amplifies or shrinks its values much."""
    random = np.random.default_rng(0)
    parameters = [one for artifact in manifest.artifacts if artifact.stage in stages for one in artifact.parameters]
    weights = {}
    for parameter in parameters:
        inputs = math.prod(parameter.shape[1:])
        scale = inputs**-0.5 if len(parameter.shape) > 1 else _VECTOR_SCALE
        weights[parameter.name] = scale * random.standard_normal(parameter.shape, np.float32)
    return weights


def made_up_inputs(stage: Stage, config: ModelConfig, counts: Sequence[int]) -> dict[str, Array]:
    """Return random inputs for a stage: a batch whose sequences have these token counts."""
    random = np.random.default_rng(len(counts))

    def made_up(tensor: Tensor) -> Array:
        shape = tensor.shape(config, len(counts), {"tokens": max(counts)})
        if tensor.name == COUNTS["tokens"]:
            return np.array(counts, np.int32)
        if tensor.dtype == "int32":
            return random.integers(0, config.n_token, shape, np.int32)
        return random.standard_normal(shape, np.float32)

    return {tensor.name: made_up(tensor) for tensor in stage.inputs}


def relative_difference(ours: Array, truth: Array) -> float:
    """Return the norm of the difference, divided by that of the reference."""
    return float(np.linalg.norm(np.subtract(ours, truth)) / np.linalg.norm(truth))
