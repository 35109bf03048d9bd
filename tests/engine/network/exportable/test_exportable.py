"""Every exportable stage must equal the reference, for any length, alone or in a batch, and for any padding."""

import copy
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.export import Dim

from engine.config import ModelConfig
from engine.network.exportable import exportable_stages
from engine.network.ops.packed_lstm import LstmSemantics
from engine.network.random_weights import network_with, random_weights
from engine.network.reference import Reference
from engine.runtime.runners.base import COUNTS
from engine.runtime.runners.torch_runner import ExportableRunner, ReferenceRunner
from engine.stages import DEVICE_STAGES, Axis, Stage
from engine.system.paths import resources_folder
from tests.engine.network.utterances import Values, all_values, correlation, opening, sequence

TOKEN_COUNTS = (1, 2, 17, 63)
RAGGED = (17, 3, 1, 9)
WITH_LSTM = {"duration", "f0n", "text_encoder"}
each_stage = pytest.mark.parametrize("stage", DEVICE_STAGES, ids=attrgetter("name"))


@pytest.fixture(scope="module")
def spoken(tiny_config: ModelConfig, truth: ReferenceRunner) -> dict[int, Values]:
    """The reference for one utterance of each length."""
    return {count: all_values(tiny_config, truth, opening(tiny_config, [count])) for count in TOKEN_COUNTS}


@pytest.fixture(scope="module")
def ragged(tiny_config: ModelConfig, truth: ReferenceRunner) -> Values:
    """The reference for a batch of four."""
    return all_values(tiny_config, truth, opening(tiny_config, RAGGED))


def inputs_of(stage: Stage, values: Values) -> Values:
    return {tensor.name: values[tensor.name] for tensor in stage.inputs}


@each_stage
@pytest.mark.parametrize("count", TOKEN_COUNTS)
def test_equals_the_reference(stage, count, spoken, exportable):
    outputs = exportable.run_stage(stage, inputs_of(stage, spoken[count]))
    for name, ours in outputs.items():
        theirs = spoken[count][name]
        assert correlation(ours, theirs) > 0.9999999
        np.testing.assert_allclose(ours, theirs, atol=2e-5 * max(1, np.abs(theirs).max()))


@each_stage
def test_one_token_of_one_frame_equals_the_reference(stage, tiny_config, truth, exportable):
    values = all_values(tiny_config, truth, opening(tiny_config, [1], speed=8.0))
    assert values["frame_count"].tolist() == [1]
    for name, ours in exportable.run_stage(stage, inputs_of(stage, values)).items():
        np.testing.assert_allclose(ours, values[name], atol=2e-5 * max(1, np.abs(values[name]).max()))


@each_stage
def test_a_ragged_batch_equals_its_members_alone(stage, tiny_config, ragged, exportable):
    outputs = exportable.run_stage(stage, inputs_of(stage, ragged))
    for index in range(len(RAGGED)):
        alone = exportable.run_stage(stage, {t.name: sequence(tiny_config, t, ragged, index) for t in stage.inputs})
        for tensor in stage.outputs:
            ours = sequence(tiny_config, tensor, {**ragged, **outputs}, index)
            scale = max(1, np.abs(alone[tensor.name]).max())
            np.testing.assert_allclose(ours, alone[tensor.name], atol=1e-5 * scale)


@each_stage
@pytest.mark.parametrize("filling", [0.0, 3.0, np.nan])
def test_padding_does_not_matter(stage, filling, tiny_config, ragged, exportable):
    clean = exportable.run_stage(stage, inputs_of(stage, ragged))
    dirty = exportable.run_stage(stage, padded_with(filling, stage, tiny_config, ragged))
    for name in clean:
        np.testing.assert_array_equal(dirty[name], clean[name])


@each_stage
def test_outputs_are_zero_beyond_the_length(stage, tiny_config, ragged, exportable):
    outputs = exportable.run_stage(stage, padded_with(3.0, stage, tiny_config, ragged))
    for tensor in stage.outputs:
        kept = sum(np.abs(sequence(tiny_config, tensor, {**ragged, **outputs}, i)).sum() for i in range(4))
        np.testing.assert_allclose(np.abs(outputs[tensor.name]).sum(), kept, rtol=1e-6)


@each_stage
def test_exports_with_symbolic_lengths(stage, tiny_config, network):
    module = exportable_stages(network)[stage.name]
    program = exported(stage, module, tiny_config)
    shapes = [tuple(map(str, node.meta["val"].shape)) for node in program.graph.output_node().args[0]]
    assert all(not shape[0].isdigit() for shape in shapes)
    parameters = {spec.target for spec in program.graph_signature.input_specs if spec.kind.name == "PARAMETER"}
    assert parameters <= set(network.state_dict())
    assert parameters == {name for name, _ in module.named_parameters()}
    assert not list(module.named_buffers())
    for batch, tokens, frames in ((1, 1, 1), (3, 4, 9)):
        values = examples(stage, tiny_config, batch, {"tokens": tokens, "frames": frames})
        with torch.no_grad():
            for ours, theirs in zip(program.module()(*values), module(*values), strict=True):
                torch.testing.assert_close(ours, theirs)


@each_stage
def test_without_packing_padding_reaches_the_valid_steps_of_stages_with_an_lstm(stage, network, ragged, exportable):
    unpacked = ExportableRunner(network, LstmSemantics.NO_PACK).run_stage(stage, inputs_of(stage, ragged))
    packed = exportable.run_stage(stage, inputs_of(stage, ragged))
    for name in packed:
        scale = np.abs(packed[name][0]).max()
        np.testing.assert_allclose(unpacked[name][0], packed[name][0], atol=1e-5 * scale)  # the longest: no padding
    same = all(np.array_equal(unpacked[name], packed[name]) for name in packed)
    assert same == (stage.name not in WITH_LSTM)


@each_stage
def test_padding_values_do_not_matter_without_packing(stage, tiny_config, network, ragged):
    runner = ExportableRunner(network, LstmSemantics.NO_PACK)
    clean = runner.run_stage(stage, inputs_of(stage, ragged))
    dirty = runner.run_stage(stage, padded_with(np.nan, stage, tiny_config, ragged))
    for name in clean:
        np.testing.assert_array_equal(dirty[name], clean[name])


def test_full_size_equals_the_reference():
    config = ModelConfig.load(Path(resources_folder() / "kokoro-82m" / "config.json"))
    network = network_with(config, random_weights(config, 0))
    values = all_values(config, ReferenceRunner(Reference(network)), opening(config, [7]))
    runner = ExportableRunner(network)
    for stage in DEVICE_STAGES:
        for name, ours in runner.run_stage(stage, inputs_of(stage, values)).items():
            assert correlation(ours, values[name]) > 0.9999999, name


def padded_with(filling: float, stage: Stage, config: ModelConfig, values: Values) -> Values:
    """The stage's inputs with `filling` beyond every length that it gets; integers become absurd numbers."""
    result = copy.deepcopy(inputs_of(stage, values))
    for tensor in stage.inputs:
        for position, axis in enumerate(tensor.axes):
            if not isinstance(axis, Axis) or COUNTS[axis.name] not in result:
                continue
            for row, count in zip(result[tensor.name], result[COUNTS[axis.name]], strict=True):
                beyond = (slice(None),) * position + (slice(axis.extent(config, {axis.name: int(count)}), None),)
                row[beyond] = filling if row.dtype == np.float32 else 10**6
    return result


def examples(stage: Stage, config: ModelConfig, batch: int, lengths: dict[str, int]) -> tuple[torch.Tensor, ...]:
    counts = {count: lengths[axis] for axis, count in COUNTS.items()}
    shapes = {tensor.name: tensor.shape(config, batch, lengths) for tensor in stage.inputs}
    return tuple(
        torch.full(shapes[tensor.name], counts.get(tensor.name, 0), dtype=getattr(torch, tensor.dtype))
        for tensor in stage.inputs
    )


def exported(stage: Stage, module: torch.nn.Module, config: ModelConfig) -> torch.export.ExportedProgram:
    batch = Dim("batch", min=1, max=64)
    lengths = {name: Dim(name, min=1, max=4096) for name in COUNTS}
    shapes = tuple(
        {
            0: batch,
            **{
                position: axis.factor(config) * lengths[axis.name] + axis.plus
                for position, axis in enumerate(tensor.axes, 1)
                if isinstance(axis, Axis)
            },
        }
        for tensor in stage.inputs
    )
    values = examples(stage, config, 2, {"tokens": 7, "frames": 11})
    with torch.no_grad():
        return torch.export.export(module, values, dynamic_shapes=shapes, strict=False)
