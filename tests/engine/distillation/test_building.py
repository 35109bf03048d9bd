"""Libraries of stages with students: what they are known by, and that they compute what PyTorch computes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.artifacts.freshness import Fresh, Missing, Stale, freshness
from engine.artifacts.manifest import CPU, Manifest, Variant, expected_identity, modules_folder
from engine.distillation import building
from engine.distillation.building import build_distilled
from engine.errors import CompileError
from engine.network.distilled_stages import distilled_stages
from engine.network.random_weights import random_weights
from engine.network.student_file import Students
from engine.network.weights import Weights
from engine.preparation.files import with_students_of
from engine.runners.torch_runner import StagesRunner
from engine.runners.tvm_runner import CompiledRunner
from engine.speech import PreparationEvent
from engine.stages import stage_named
from tests.engine.exactness import correlation
from tests.engine.stage_batches import assert_padding_changes_nothing, random_batch
from tests.engine.students import architectures, own_weights
from tests.engine.tiny_model import TINY

STUDENTS = Students(Path("none"), "teacher", architectures(TINY), {}, "")
WEIGHTS: Weights = {**random_weights(TINY, 0), **own_weights(STUDENTS.architectures)}
VARIANT = with_students_of(STUDENTS, CPU)
LEAST_CORRELATION = 0.99999
Built = tuple[Path, Manifest, list[PreparationEvent]]

every_stage = pytest.mark.parametrize("name", STUDENTS.stages)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder, events = tmp_path_factory.mktemp("built") / "students", list[PreparationEvent]()
    return folder, build_distilled(TINY, STUDENTS, VARIANT, folder, events.append), events


@pytest.fixture(scope="module")
def compiled(built: Built) -> Iterator[CompiledRunner]:
    runner = CompiledRunner(built[0], TINY, WEIGHTS)
    yield runner
    runner.close()


@pytest.fixture(scope="module")
def in_torch() -> StagesRunner:
    return StagesRunner(TINY, distilled_stages(TINY, STUDENTS, WEIGHTS))


def test_they_are_fresh_for_these_students_and_no_others(built: Built) -> None:
    folder, manifest, _ = built
    assert freshness(folder, expected_identity(TINY, VARIANT), VARIANT.stages) == Fresh(manifest)
    others = Students(Path("none"), "teacher", architectures(TINY, width=16), {}, "")
    wider = with_students_of(others, CPU)
    assert modules_folder(folder, TINY, wider) != modules_folder(folder, TINY, VARIANT)
    state = freshness(folder, expected_identity(TINY, wider), wider.stages)
    assert state == Stale("they are of other students than those here")
    assert freshness(folder, expected_identity(TINY, CPU), VARIANT.stages) == state


def test_students_leave_the_identity_of_other_modules_as_it_is() -> None:
    assert expected_identity(TINY, CPU).students == ""
    assert Variant("cpu").name == "cpu"
    assert with_students_of(None, CPU) == CPU


def test_progress_names_each_stage_and_ends_full(built: Built) -> None:
    events = built[2]
    assert [(event.done, event.total) for event in events] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert events[0].title == "Compiling durations, with students"


@every_stage
def test_every_length_is_what_pytorch_computes(compiled: CompiledRunner, in_torch: StagesRunner, name: str) -> None:
    stage = stage_named(name)
    for length in range(1, TINY.token_limit + 1):
        values = random_batch(stage, TINY, (length,), seed=length).padded(0)
        ours, theirs = compiled.run(stage, values), in_torch.run(stage, values)
        for tensor in stage.outputs:
            assert correlation(ours[tensor.name], theirs[tensor.name]) >= LEAST_CORRELATION, (length, tensor.name)


@every_stage
def test_a_batch_is_what_pytorch_computes(compiled: CompiledRunner, in_torch: StagesRunner, name: str) -> None:
    stage = stage_named(name)
    values = random_batch(stage, TINY, (5, 40, 1, 17)).padded(3, "noise")
    ours, theirs = compiled.run(stage, values), in_torch.run(stage, values)
    for tensor in stage.outputs:
        np.testing.assert_allclose(ours[tensor.name], theirs[tensor.name], rtol=1e-4, atol=2e-3)


@every_stage
@pytest.mark.parametrize(("lengths", "more"), [((1,), 3), ((5, 40, 17), 0), ((64, 2), 6)])
def test_the_padding_changes_nothing(compiled: CompiledRunner, name: str, lengths: tuple[int, ...], more: int) -> None:
    assert_padding_changes_nothing(compiled, stage_named(name), TINY, lengths, more)


def test_a_build_that_fails_leaves_nothing_that_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise CompileError("There is no linker.")

    monkeypatch.setattr(building, "build_stage", fail)
    with pytest.raises(CompileError, match="no linker"):
        build_distilled(TINY, STUDENTS, VARIANT, tmp_path, lambda _: None)
    assert freshness(tmp_path, expected_identity(TINY, VARIANT), VARIANT.stages) == Missing()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CompileError, match="cannot be written"):
        build_distilled(TINY, STUDENTS, VARIANT, tmp_path / "file" / "folder", lambda _: None)
