"""Tries compiled modules on made-up weights and inputs.

Run it in a process of its own: a GPU's driver may end it. It needs no model and no torch. The truth is what the
processor's modules compute.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.artifacts.manifest import Manifest
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.network.weights import Weights
from engine.runners.base import COUNTS, Runner
from engine.runners.tvm_runner import CompiledRunner
from engine.runtime.preparation.probes import TrialRequest
from engine.speech import Array
from engine.stages import Stage, Tensor, stage_named

MAX_DIFFERENCE = 1e-3
"""Relative to the truth: far above the effect of another order of summation, far below that of any mistake."""
_VECTOR_SCALE = 0.5
"""The size of biases and gains."""


class Different(EngineError):
    """What was tried computes something else than it should."""


def measured_seconds(request: TrialRequest) -> dict[str, float]:
    """The time that each of the tried modules takes, by name; raises `Different` or what `CompiledRunner` raises."""
    bench = Bench(request)
    rounds = range(request.trial.calls)
    seconds = {}
    for name, folder in request.tried.items():
        with bench.opened(folder) as runner:
            seconds[name] = _seconds(bench.cases, [[case.run(name, runner) for case in bench.cases] for _ in rounds])
    return seconds


def _seconds(cases: Sequence[Case], rounds: Sequence[Sequence[float]]) -> float:
    """The sum of the shortest times of the timed cases, of several rounds of all."""
    shortest: list[float] = [min(times) for times in zip(*rounds, strict=True)]
    return sum(seconds for case, seconds in zip(cases, shortest, strict=True) if case.is_timed)


class Bench:
    """Opens the modules of a trial with the same weights, and has its cases, with what the reference computes."""

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
        """The modules in this folder, until the end of its `with` block; raises what `CompiledRunner` raises."""
        trial = self._request.trial
        return closing(CompiledRunner(folder, self._request.config, self._weights, stages=trial.stages))


@dataclass(frozen=True)
class Case:
    """Inputs for a stage and the true outputs."""

    stage: Stage
    inputs: Mapping[str, Array]
    truth: Mapping[str, Array]

    @classmethod
    def made_up(cls, stage: Stage, config: ModelConfig, counts: Sequence[int], reference: Runner) -> Case:
        """A batch whose sequences have these counts of tokens."""
        inputs = made_up_inputs(stage, config, counts)
        return cls(stage, inputs, reference.run(stage, inputs))

    @property
    def counts(self) -> list[int]:
        """The token counts of its sequences."""
        return [int(count) for count in self.inputs[COUNTS["tokens"]]]

    @property
    def is_timed(self) -> bool:
        """Whether it is one sequence, as in speech."""
        return len(self.counts) == 1

    def run(self, name: str, runner: Runner) -> float:
        """The seconds that it takes; raises `Different`."""
        seconds, difference = self.measured(runner)
        if not is_right(difference):
            raise Different(f"{name} differs by {difference:.2g} of the values in the {self.stage.title.lower()}")
        return seconds

    def measured(self, runner: Runner) -> tuple[float, float]:
        """The seconds that it takes, and by how much the worst of its outputs differs, relative to the truth."""
        started = time.perf_counter()
        outputs = runner.run(self.stage, self.inputs)
        seconds = time.perf_counter() - started
        return seconds, max(relative_difference(outputs[output], true) for output, true in self.truth.items())


def is_right(difference: float) -> bool:
    """Whether what was tried computes what it should; NaN is not right."""
    return difference <= MAX_DIFFERENCE


def made_up_weights(manifest: Manifest, stages: Sequence[str]) -> Weights:
    """Random weights for these stages, such that no layer makes its values much larger or smaller."""
    random = np.random.default_rng(0)
    parameters = [one for artifact in manifest.artifacts if artifact.stage in stages for one in artifact.parameters]
    weights = {}
    for parameter in parameters:
        inputs = math.prod(parameter.shape[1:])
        scale = inputs**-0.5 if len(parameter.shape) > 1 else _VECTOR_SCALE
        weights[parameter.name] = scale * random.standard_normal(parameter.shape, np.float32)
    return weights


def made_up_inputs(stage: Stage, config: ModelConfig, counts: Sequence[int]) -> dict[str, Array]:
    """Random inputs for a stage: a batch whose sequences have these counts of tokens."""
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
    """The norm of the difference over that of the truth."""
    return float(np.linalg.norm(np.subtract(ours, truth)) / np.linalg.norm(truth))
