"""The inputs of an LSTM must be those that its stage computes, and each way of running it must do what it says."""

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.network.architecture import Network
from engine.network.lstm_activations import SingleLstm, captured_inputs
from engine.network.reference import Reference
from engine.speech import Array
from tests.engine.network.utterances import Values, opening

PATHS = ("predictor.text_encoder.lstms.0", "text_encoder.lstm")
STEPS = 13
each_lstm = pytest.mark.parametrize("path", PATHS)


@pytest.fixture(scope="module")
def start(tiny_config: ModelConfig) -> Values:
    return opening(tiny_config, [STEPS])


@pytest.fixture(scope="module")
def inputs(network: Network, start: Values) -> dict[str, Array]:
    return captured_inputs(network, PATHS, start)


def extended(x: Array, length: int) -> Array:
    result = np.zeros((1, length, x.shape[2]), np.float32)
    result[:, : x.shape[1]] = x
    return result


@each_lstm
def test_the_captured_input_reproduces_the_reference_output(path, network, start, inputs):
    seen: Values = {}
    reference = Reference(network)
    features = reference.run_stage("bert", start)
    for stage in ("duration", "text_encoder"):
        reference.run_stage(stage, {**start, **features}, lambda name, array: seen.update({name: array}))
    np.testing.assert_allclose(SingleLstm(network, path).packed(inputs[path], STEPS), seen[path], atol=1e-6)


def test_nothing_is_captured_afterwards(network, start, inputs):
    before = {path: array.copy() for path, array in inputs.items()}
    captured_inputs(network, PATHS, {**start, "prosody": -start["prosody"], "tokens": start["tokens"][:, ::-1].copy()})
    for path in PATHS:
        np.testing.assert_array_equal(inputs[path], before[path])
        assert not network.get_submodule(path)._forward_pre_hooks


@each_lstm
@pytest.mark.parametrize("padding", [0, 1, 40])
def test_packed_is_the_bare_sequence_and_zeros(path, padding, network, inputs):
    lstm = SingleLstm(network, path)
    output = lstm.packed(extended(inputs[path], STEPS + padding), STEPS)
    exact = lstm.exact(inputs[path])
    assert exact.dtype == np.float64
    np.testing.assert_allclose(output[:, :STEPS], exact, atol=1e-6)
    assert output.shape[1] == STEPS + padding
    assert not output[:, STEPS:].any()


@each_lstm
def test_without_packing_padding_spoils_the_backward_direction_alone(path, network, inputs):
    lstm = SingleLstm(network, path)
    exact = lstm.exact(inputs[path])
    output = lstm.without_packing(extended(inputs[path], 2 * STEPS), STEPS)
    middle = exact.shape[2] // 2
    np.testing.assert_allclose(output[:, :STEPS, :middle], exact[:, :, :middle], atol=1e-6)
    errors = np.abs(output[0, :STEPS, middle:] - exact[0, :, middle:]).max(axis=1)
    assert errors[-1] > 0.05
    assert errors[0] < errors[-1] / 10
    assert not output[:, STEPS:].any()
    np.testing.assert_allclose(lstm.without_packing(inputs[path], STEPS), exact, atol=1e-6)


@each_lstm
def test_the_module_to_export_is_the_same_lstm(path, network, inputs):
    lstm = SingleLstm(network, path)
    x = torch.tensor(extended(inputs[path], STEPS + 5))
    with torch.no_grad():
        (output,) = lstm.module(x, torch.tensor([STEPS], dtype=torch.int32))
    np.testing.assert_allclose(output, lstm.packed(x.numpy(), STEPS), atol=1e-6)
    for name, array in lstm.weights.items():
        kept = network.get_submodule(path).get_parameter(name.removeprefix("lstm."))
        np.testing.assert_array_equal(array, kept.numpy())
