"""The stages with students, in PyTorch: what the padding holds changes nothing, and a batch equals its members."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.network.distilled_stages import distilled_stages, put_in_place
from engine.network.exportable import exportable_stages
from engine.network.exportable.probing import ProbedModule, probe_paths
from engine.network.random_weights import network_with, random_weights
from engine.network.student_file import Students
from engine.runtime.runners.torch_runner import ExportableRunner, StagesRunner
from engine.stages import stage_named
from tests.engine.stage_batches import assert_padding_changes_nothing, random_batch
from tests.engine.students import architectures, own_weights
from tests.engine.tiny_model import TINY

WEIGHTS = random_weights(TINY, 0)
NAMES = ("duration", "f0n", "text_encoder")
LENGTHS = st.lists(st.integers(1, TINY.token_limit), min_size=1, max_size=3)
LENGTH_THAT_CORRECTIONS_REACH = 4


def students(places: str = "*", **sizes: int) -> Students:
    return Students(Path("none"), "teacher", architectures(TINY, places, **sizes), {}, "")


def runner(places: str = "*", **sizes: int) -> StagesRunner:
    taught = students(places, **sizes)
    weights = {**WEIGHTS, **own_weights(taught.architectures)}
    return StagesRunner(TINY, distilled_stages(TINY, taught, weights))


@pytest.fixture(scope="module")
def distilled() -> StagesRunner:
    return runner()


@pytest.fixture(scope="module")
def teacher() -> ExportableRunner:
    return ExportableRunner(network_with(TINY, WEIGHTS))


@pytest.mark.parametrize("name", NAMES)
@given(lengths=LENGTHS, more=st.integers(0, 9), seed=st.integers(0, 9))
@settings(max_examples=25)
def test_the_padding_changes_nothing(distilled, name, lengths, more, seed):
    assert_padding_changes_nothing(distilled, stage_named(name), TINY, lengths, more, seed)


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_equals_its_members(distilled, name):
    stage, lengths = stage_named(name), (5, 40, 1, 17)
    batch = random_batch(stage, TINY, lengths)
    outputs = distilled.run_stage(stage, batch.padded(0))
    for index in range(len(lengths)):
        alone = distilled.run_stage(stage, batch.member(index))
        for tensor in stage.outputs:
            np.testing.assert_allclose(
                batch.valid(tensor, outputs[tensor.name], index), alone[tensor.name][0], rtol=0, atol=2e-3
            )


@pytest.mark.parametrize("name", NAMES)
def test_steps_within_reach_of_corrections_match_the_lstm(teacher, name):
    stage = stage_named(name)
    batch = random_batch(stage, TINY, (LENGTH_THAT_CORRECTIONS_REACH, 1))
    taught = runner(corrections=LENGTH_THAT_CORRECTIONS_REACH)
    ours, theirs = (each.run_stage(stage, batch.padded(0)) for each in (taught, teacher))
    for tensor in stage.outputs:
        np.testing.assert_allclose(ours[tensor.name], theirs[tensor.name], rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_students_are_in_place(distilled, teacher, name):
    stage = stage_named(name)
    values = random_batch(stage, TINY, (20,)).padded(0)
    ours, theirs = distilled.run_stage(stage, values), teacher.run_stage(stage, values)
    assert any(np.abs(ours[tensor.name] - theirs[tensor.name]).max() > 1e-3 for tensor in stage.outputs)


def test_lstms_without_a_student_stay():
    stages = distilled_stages(TINY, students("predictor.lstm"), {**WEIGHTS, **own_weights(architectures(TINY))})
    assert list(stages) == ["duration"]
    stage = stage_named("duration")
    values = random_batch(stage, TINY, (20, 7)).padded(0)
    theirs = ExportableRunner(network_with(TINY, WEIGHTS)).run_stage(stage, values)
    ours = StagesRunner(TINY, stages).run_stage(stage, values)
    assert np.array_equal(ours["prosody_features"], theirs["prosody_features"])
    assert not np.allclose(ours["duration_logits"], theirs["duration_logits"])


def test_parameters_have_the_names_of_the_network_and_of_the_students():
    taught = students()
    known = {*WEIGHTS, *own_weights(taught.architectures)}
    for module in distilled_stages(TINY, taught).values():
        assert {name for name, _ in module.named_parameters()} <= known
        assert not any(parameter.requires_grad for parameter in module.parameters())


def test_activations_are_those_of_the_stages_with_lstms():
    network = network_with(TINY, WEIGHTS)
    for name, module in distilled_stages(TINY, students(), probed=True).items():
        assert isinstance(module, ProbedModule)
        assert module.paths == probe_paths(network, stage_named(name))


def test_a_student_takes_the_place_of_its_lstm():
    network, student = network_with(TINY, WEIGHTS), torch.nn.Identity()
    put_in_place(network, {"predictor.text_encoder.lstms.2": student})
    assert network.get_submodule("predictor.text_encoder.lstms")[2] is student
    assert set(exportable_stages(network)) >= set(NAMES)
