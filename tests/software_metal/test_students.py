"""The stages with students on the software device, against the same students in PyTorch."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.compiler.artifacts.manifest import Variant
from engine.network.distilled_stages import distilled_stages
from engine.network.random_weights import random_weights
from engine.network.student_file import Students
from engine.runtime.preparation.files import with_students_of
from engine.runtime.runners.torch_runner import StagesRunner
from engine.runtime.runners.tvm_runner import CompiledRunner
from engine.stages import stage_named
from engine.training.distillation.building import build_distilled
from tests.engine.exactness import correlation
from tests.engine.stage_batches import assert_padding_changes_nothing, random_batch
from tests.engine.students import architectures, own_weights
from tests.engine.tiny_model import TINY
from tests.software_metal.loader import SoftwareMetal

STUDENTS = Students(Path("none"), "teacher", architectures(TINY), {}, "")
WEIGHTS = {**random_weights(TINY, 0), **own_weights(STUDENTS.architectures)}
MIN_CORRELATION = 0.99999


@pytest.fixture(scope="module")
def compiled(software_metal: SoftwareMetal, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CompiledRunner]:
    folder = tmp_path_factory.mktemp("metal")
    build_distilled(TINY, STUDENTS, with_students_of(STUDENTS, Variant("metal-host")), folder, lambda _: None)
    with software_metal.fast():
        runner = CompiledRunner(folder, TINY, WEIGHTS)
        yield runner
        runner.close()


@pytest.mark.parametrize("name", STUDENTS.stages)
def test_students_on_metal_equal_those_in_pytorch(compiled, name):
    stage, in_torch = stage_named(name), StagesRunner(TINY, distilled_stages(TINY, STUDENTS, WEIGHTS))
    for lengths in ((1,), (2,), (40,), (5, 17, 1)):
        values = random_batch(stage, TINY, lengths).padded(2, "noise")
        ours, theirs = compiled.run_stage(stage, values), in_torch.run_stage(stage, values)
        for tensor in stage.outputs:
            assert correlation(ours[tensor.name], theirs[tensor.name]) >= MIN_CORRELATION, (lengths, tensor.name)


@pytest.mark.parametrize("name", STUDENTS.stages)
def test_the_padding_changes_nothing(compiled, name):
    assert_padding_changes_nothing(compiled, stage_named(name), TINY, (5, 17), 3)
