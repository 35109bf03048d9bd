"""Libraries of stages with students: their identity, and that they compute the same as PyTorch.

They are those of the bundled model, which other tests need too and which stay built between runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import (
    CPU,
    Artifact,
    Fresh,
    Manifest,
    Missing,
    Stale,
    Variant,
    expected_identity,
    freshness,
    modules_folder,
)
from engine.config import ModelConfig
from engine.errors import CompileError
from engine.models.checkpoints import DistilledCheckpoint, open_checkpoint, with_students
from engine.network.distilled_stages import distilled_stages
from engine.network.student_file import Students
from engine.network.weights import Weights
from engine.runtime.preparation.files import with_students_of
from engine.runtime.preparation.modules import ensure_modules
from engine.runtime.runners.torch_runner import StagesRunner
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.speech import PreparationEvent
from engine.stages import stage_named
from engine.training.distillation import building
from engine.training.distillation.building import build_distilled
from tests.engine.exactness import correlation
from tests.engine.stage_batches import assert_padding_changes_nothing, random_batch
from tests.engine.students import architectures, students_installed
from tests.engine.tiny_model import TINY

TINY_STUDENTS = Students(Path("none"), "teacher", architectures(TINY), {}, "")
TINY_VARIANT = with_students_of(TINY_STUDENTS, CPU)
MIN_CORRELATION = 0.99999
MAX_STEPS = 64


@dataclass(frozen=True)
class Built:
    """The bundled model with students, and the folder of their libraries."""

    checkpoint: DistilledCheckpoint
    folder: Path
    variant: Variant

    @property
    def config(self) -> ModelConfig:
        return self.checkpoint.config


every_stage = pytest.mark.parametrize("name", TINY_STUDENTS.stages)


@pytest.fixture(scope="module")
def built() -> Iterator[Built]:
    with students_installed():
        checkpoint = with_students(open_checkpoint())
        variant = with_students_of(checkpoint.students, CPU)
        yield Built(checkpoint, ensure_modules(checkpoint.name, checkpoint.config, variant, lambda _: None), variant)


@pytest.fixture(scope="module")
def weights(built: Built) -> Weights:
    return built.checkpoint.load_weights()


@pytest.fixture(scope="module")
def compiled(built: Built, weights: Weights) -> Iterator[CompiledRunner]:
    runner = CompiledRunner(built.folder, built.config, weights)
    yield runner
    runner.close()


@pytest.fixture(scope="module")
def in_torch(built: Built, weights: Weights) -> StagesRunner:
    return StagesRunner(built.config, distilled_stages(built.config, built.checkpoint.students, weights))


def test_they_are_fresh_for_these_students_and_no_others(built: Built) -> None:
    config, variant = built.config, built.variant
    fresh = Fresh(Manifest.load(built.folder))
    assert freshness(built.folder, expected_identity(config, variant), variant.stages) == fresh
    others = Students(Path("none"), "teacher", architectures(config, width=16), {}, "")
    wider = with_students_of(others, CPU)
    assert modules_folder(built.folder, config, wider) != modules_folder(built.folder, config, variant)
    state = freshness(built.folder, expected_identity(config, wider), wider.stages)
    assert state == Stale("built for different student weights")
    assert freshness(built.folder, expected_identity(config, CPU), variant.stages) == state


def test_progress_names_each_stage_and_ends_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = list[PreparationEvent]()
    monkeypatch.setattr(building, "build_stage", lambda stage, *_: Artifact(stage.name, "", "", 0, 0.0, ()))
    build_distilled(TINY, TINY_STUDENTS, TINY_VARIANT, tmp_path, events.append)
    assert [(event.done, event.total) for event in events] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert events[0].title == "Compiling durations, with students"


@every_stage
def test_compiled_students_match_pytorch_at_every_length(
    built: Built, compiled: CompiledRunner, in_torch: StagesRunner, name: str
) -> None:
    stage = stage_named(name)
    for length in range(1, MAX_STEPS + 1):
        values = random_batch(stage, built.config, (length,), seed=length).padded(0)
        ours, theirs = compiled.run_stage(stage, values), in_torch.run_stage(stage, values)
        for tensor in stage.outputs:
            assert correlation(ours[tensor.name], theirs[tensor.name]) >= MIN_CORRELATION, (length, tensor.name)


@every_stage
def test_a_compiled_batch_matches_pytorch(
    built: Built, compiled: CompiledRunner, in_torch: StagesRunner, name: str
) -> None:
    stage = stage_named(name)
    values = random_batch(stage, built.config, (5, 40, 1, 17)).padded(3, "noise")
    ours, theirs = compiled.run_stage(stage, values), in_torch.run_stage(stage, values)
    for tensor in stage.outputs:
        np.testing.assert_allclose(ours[tensor.name], theirs[tensor.name], rtol=1e-4, atol=2e-3)


@every_stage
@pytest.mark.parametrize(("lengths", "more"), [((1,), 3), ((5, 40, 17), 0), ((64, 2), 6)])
def test_the_padding_changes_nothing(
    built: Built, compiled: CompiledRunner, name: str, lengths: tuple[int, ...], more: int
) -> None:
    assert_padding_changes_nothing(compiled, stage_named(name), built.config, lengths, more)


def test_a_build_that_fails_leaves_nothing_that_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise CompileError("There is no linker.")

    monkeypatch.setattr(building, "build_stage", fail)
    with pytest.raises(CompileError, match="no linker"):
        build_distilled(TINY, TINY_STUDENTS, TINY_VARIANT, tmp_path, lambda _: None)
    assert freshness(tmp_path, expected_identity(TINY, TINY_VARIANT), TINY_VARIANT.stages) == Missing()
