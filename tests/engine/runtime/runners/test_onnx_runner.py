"""ONNX Runtime computes the same as PyTorch: otherwise it would be no fair peer."""

import numpy as np
import pytest
from onnx import TensorProto, helper, save

from engine.benchmark.job import Length
from engine.benchmark.utterances import inputs_of, make_utterance
from engine.network.onnx_export import export_to_onnx
from engine.network.random_weights import random_weights
from engine.runtime.runners.onnx_runner import OnnxRunner, WholeOnnxModel
from engine.runtime.runners.plain_runner import PlainRunner
from engine.stages import DEVICE_STAGES, stage_named

LENGTHS = (Length(14, 5, 0.35), Length(61, 20, 1.525))
"""Neither is the one that the files were exported with."""


@pytest.fixture(scope="module")
def runners(tiny_config, tmp_path_factory):
    weights, folder = random_weights(tiny_config, 0), tmp_path_factory.mktemp("onnx")
    export_to_onnx(tiny_config, weights, DEVICE_STAGES, folder)
    return PlainRunner(tiny_config, weights, 1), OnnxRunner(folder, 1)


@pytest.fixture(scope="module", params=LENGTHS, ids=lambda length: f"{length.frames} frames")
def values(request, tiny_config, runners):
    return make_utterance(tiny_config, request.param, runners[0])


@pytest.mark.parametrize("name", [stage.name for stage in DEVICE_STAGES if stage.name != "source"])
def test_a_stage_is_the_original(runners, values, name):
    stage = stage_named(name)
    for output, array in runners[1].run_stage(stage, inputs_of(stage, values)).items():
        scale = np.abs(values[output]).max()
        np.testing.assert_allclose(array, values[output], atol=1e-5 * max(scale, 1.0))


def test_the_source_is_the_original_but_for_phases_where_nothing_sounds(tiny_config, runners, values):
    source = stage_named("source")
    (array,) = runners[1].run_stage(source, inputs_of(source, values)).values()
    got, expected = (spectrum(one, tiny_config) for one in (array, values["harmonics"]))
    assert np.abs(got - expected).max() < 1e-3 * np.abs(expected).max()


def spectrum(harmonics, config):
    magnitude, phase = np.split(harmonics.astype(np.float64), [config.frequency_bins], axis=1)
    return magnitude * np.exp(1j * phase)


@pytest.fixture
def whole_model(tmp_path):
    """A model with the inputs of kokoro-onnx's: each token gives its value over the speed, then comes the style."""
    nodes = [
        helper.make_node("Cast", ["tokens"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Div", ["numbers", "speed"], ["spoken"]),
        helper.make_node("Concat", ["spoken", "style"], ["audio"], axis=1),
    ]
    inputs = [
        helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, None]),
        helper.make_tensor_value_info("style", TensorProto.FLOAT, [1, 4]),
        helper.make_tensor_value_info("speed", TensorProto.FLOAT, [1]),
    ]
    outputs = [helper.make_tensor_value_info("audio", TensorProto.FLOAT, [1, None])]
    model = helper.make_model(
        helper.make_graph(nodes, "whole", inputs, outputs), opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    save(model, tmp_path / "model.onnx")
    return WholeOnnxModel(tmp_path / "model.onnx", 1)


def test_a_whole_model_is_given_tokens_style_and_speed(whole_model):
    style = np.arange(4, dtype=np.float32)[None]
    audio = whole_model.speak_tokens(np.array([[2, 4]], np.int32), style, 2.0)
    assert audio.tolist() == [1, 2, 0, 1, 2, 3]
