"""The starter's stages, each with its inputs from the reference, and their compiled modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from engine.compiler.artifacts.manifest import CPU
from engine.models.checkpoints import open_checkpoint
from engine.runtime.pipeline import Step
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.speech import Utterance
from engine.stages import STAGES
from engine.validator.data.results import Regime
from engine.validator.inspection.inspector import KernelInspector, StageInputs
from engine.validator.runners.regimes import Regimes

UTTERANCE = Utterance(0, "hi", "hˈI.", 0, 2)


@pytest.fixture(scope="session")
def regimes() -> Iterator[Regimes]:
    made = Regimes(open_checkpoint(), device="cpu")
    yield made
    made.close()


@pytest.fixture(scope="session")
def runner(regimes: Regimes) -> CompiledRunner:
    return regimes.open(Regime.COMPILED, 0, lambda _: None).runner


@pytest.fixture(scope="session")
def steps(regimes: Regimes) -> Mapping[str, Step]:
    reference = regimes.open(Regime.DYNAMIC, 0, lambda _: None)
    style = next(iter(regimes.checkpoint.voices.values())).style(len(UTTERANCE.phonemes))
    return {step.stage.name: step for step in regimes.pipeline(reference).steps(UTTERANCE, style, 1.0, 0)}


@pytest.fixture(scope="session")
def inspector(regimes: Regimes) -> KernelInspector:
    return KernelInspector(regimes.checkpoint.config, regimes.checkpoint.load_weights(), CPU)


def inputs_of(step: Step) -> StageInputs:
    return StageInputs(step.inputs, [step.inputs[tensor.name].shape for tensor in step.stage.inputs])


LIGHT_STAGES = [stage for stage in STAGES if stage.name in ("duration", "f0n", "text_encoder", "source", "istft")]
"""All but the two stages whose graphs take longest to build."""
