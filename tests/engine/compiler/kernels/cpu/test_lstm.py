"""The LSTM kernel, with its projections, against the numpy meaning."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.compiler.kernels.cpu.lstm import lstm_offset, pack_hidden_weight, packed_hidden_shape, recurrence
from engine.compiler.kernels.cpu.register_tile import Microkernel
from engine.network.ops.packed_lstm import lstm_forward_packed, lstm_forward_packed_bidirectional
from tests.engine.compiler.kernels.cpu.running import NARROW, Kernel, built, error_half_ulps, host_microkernel

INPUT_SIZE = 6
Weights = tuple[np.ndarray, np.ndarray, np.ndarray]


@functools.cache
def kernels(hidden_size: int, directions: int, microkernel: Microkernel) -> tuple[Kernel, Kernel]:
    pack = built(pack_hidden_weight(hidden_size, microkernel))
    return pack, built(recurrence(hidden_size, directions, microkernel))


def random_weights(random: np.random.Generator, hidden_size: int) -> Weights:
    shapes = ((4 * hidden_size, INPUT_SIZE), (4 * hidden_size, hidden_size), (4 * hidden_size,))
    weight_ih, weight_hh, bias = (random.standard_normal(shape, np.float32) for shape in shapes)
    return weight_ih, weight_hh / np.float32(hidden_size**0.5), bias


def run(x: np.ndarray, lengths: np.ndarray, weights: list[Weights], microkernel: Microkernel) -> np.ndarray:
    hidden_size = weights[0][1].shape[1]
    pack, kernel = kernels(hidden_size, len(weights), microkernel)
    inputs = []
    for weight_ih, weight_hh, bias in weights:
        offset = np.tile(bias.astype(np.float64), (len(x), 1))
        inputs += [x @ weight_ih.T, offset, pack(packed_hidden_shape(hidden_size, microkernel), weight_hh)]
    return kernel((*x.shape[:2], len(weights) * hidden_size), *inputs, lengths)


def compare(lengths: list[int], hidden_size: int, directions: int, microkernel: Microkernel, padding: int = 0) -> None:
    random = np.random.default_rng(sum(lengths))
    x = random.standard_normal((len(lengths), max(lengths) + padding, INPUT_SIZE), np.float32)
    weights = [random_weights(random, hidden_size) for _ in range(directions)]
    counts = np.array(lengths, np.int32)
    if directions == 2:
        expected = lstm_forward_packed_bidirectional(x, counts, *weights[0], *weights[1])
    else:
        expected = lstm_forward_packed(x, counts, *weights[0])
    for batch_index, length in enumerate(lengths):
        x[batch_index, length:] = np.nan
    assert np.abs(run(x, counts, weights, microkernel) - expected).max() < 2e-5


@pytest.mark.parametrize("hidden_size", [1, 31, 32, 48, 65])
@pytest.mark.parametrize("directions", [1, 2])
def test_equals_the_reference(hidden_size, directions):
    for lengths in ([1], [2], [3, 1], [7, 47, 1, 20]):
        compare(lengths, hidden_size, directions, host_microkernel())


@pytest.mark.parametrize("microkernel", NARROW)
def test_other_register_tiles(microkernel):
    compare([5, 9], 33, 2, microkernel, padding=2)


@given(lengths=st.lists(st.integers(0, 90), min_size=1, max_size=4), padding=st.integers(1, 5))
@settings(max_examples=20)
def test_any_lengths(lengths, padding):
    compare(lengths, 48, 2, host_microkernel(), padding)


def test_a_sequence_of_a_batch_equals_it_alone():
    random = np.random.default_rng(3)
    x = random.standard_normal((3, 20, INPUT_SIZE), np.float32)
    weights = [random_weights(random, 32), random_weights(random, 32)]
    together = run(x, np.array([20, 11, 4], np.int32), weights, host_microkernel())
    alone = run(x[1:2, :11], np.array([11], np.int32), weights, host_microkernel())
    assert np.array_equal(together[1, :11], alone[0])
    assert not together[1, 11:].any()


def test_cells_may_count_many_steps():
    """Trained LSTMs have cells that grow with every frame."""
    hidden_size, steps, open_gate = 4, 1500, 20.0
    x = np.ones((1, steps, INPUT_SIZE), np.float32)
    bias = np.full(4 * hidden_size, open_gate, np.float32)
    weights = np.zeros((4 * hidden_size, INPUT_SIZE), np.float32), np.zeros((4 * hidden_size, hidden_size), np.float32)
    found = run(x, np.array([steps], np.int32), [(*weights, bias)], host_microkernel())
    assert np.allclose(found[0, :, 0], np.tanh(np.arange(1, steps + 1)), atol=1e-6)


def test_many_steps_lose_little_to_rounding():
    random = np.random.default_rng(5)
    weight = random.standard_normal((4 * 256, 256), np.float32) / np.float32(8)
    microkernel = host_microkernel()
    projected = random.standard_normal((1, 150, 4 * 256), np.float32)
    pack, kernel = kernels(256, 1, microkernel)
    packed = pack(packed_hidden_shape(256, microkernel), weight)
    operands = [projected, np.zeros((1, 4 * 256)), packed, np.array([150], np.int32)]
    found = kernel((1, 150, 256), *operands)
    assert error_half_ulps(found[0], exact_states(projected[0], weight)) < 2


def exact_states(projected: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The hidden states of all steps [time, hidden], in float64."""
    hidden = cell = np.zeros(weight.shape[1])
    states = []
    for gates in projected.astype(np.float64):
        entry, keeping, change, leaving = np.split(gates + weight.astype(np.float64) @ hidden, 4)
        cell = sigmoid(keeping) * cell + sigmoid(entry) * np.tanh(change)
        hidden = sigmoid(leaving) * np.tanh(cell)
        states.append(hidden)
    return np.stack(states)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def test_every_sequence_has_its_own_offset():
    random = np.random.default_rng(4)
    x = random.standard_normal((2, 9, INPUT_SIZE), np.float32)
    weight_ih, weight_hh, _ = random_weights(random, 33)
    offset = random.standard_normal((2, 4 * 33))
    pack, kernel = kernels(33, 1, host_microkernel())
    packed = pack(packed_hidden_shape(33, host_microkernel()), weight_hh)
    found = kernel((2, 9, 33), x @ weight_ih.T, offset, packed, np.array([9, 4], np.int32))
    for batch_index, length in enumerate((9, 4)):
        alone = x[batch_index : batch_index + 1]
        expected = lstm_forward_packed(alone, np.array([length]), weight_ih, weight_hh, offset[batch_index])
        assert np.abs(found[batch_index] - expected[0]).max() < 2e-5


def test_the_offset_is_exact():
    random = np.random.default_rng(2)
    constant_input, weight, bias = (random.standard_normal(shape, np.float32) for shape in ((3, 7), (20, 7), (20,)))
    found = built(lstm_offset(7, 20, host_microkernel()))((3, 20), constant_input, weight, bias, dtype=np.float64)
    np.testing.assert_allclose(
        found, constant_input.astype(np.float64) @ weight.T.astype(np.float64) + bias, rtol=1e-12
    )
