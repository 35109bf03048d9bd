"""What the exported files are: that they compute the right thing is shown in tests/engine/runners/test_onnx_runner."""

import onnx
import pytest

from engine.network.onnx_export import OPSET, export_to_onnx
from engine.network.random_weights import random_weights
from engine.stages import stage_named


@pytest.fixture(scope="module")
def exported(tiny_config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("onnx")
    stages = (stage_named("bert"), stage_named("istft"))
    export_to_onnx(tiny_config, random_weights(tiny_config, 0), stages, folder)
    return folder


def test_there_is_a_file_per_stage_and_no_other(exported):
    assert sorted(path.name for path in exported.iterdir()) == ["bert.onnx", "istft.onnx"]


def test_lengths_are_symbolic_and_names_are_the_stages(exported):
    model = onnx.load(exported / "istft.onnx")
    assert [one.name for one in model.graph.input] == ["magnitude", "phase"]
    assert [one.name for one in model.graph.output] == ["audio"]
    extents = model.graph.input[0].type.tensor_type.shape.dim
    assert [bool(extent.dim_param) for extent in extents] == [False, False, True]
    assert model.opset_import[0].version == OPSET


def test_weights_are_in_the_file(exported):
    names = {one.name for one in onnx.load(exported / "bert.onnx").graph.initializer}
    assert any("word_embeddings" in name for name in names)
    assert not any("decoder" in name for name in names)
