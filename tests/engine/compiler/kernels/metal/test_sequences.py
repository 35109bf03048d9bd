import numpy as np
import pytest
import torch
from torch.nn import functional

from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.metal.attention import attention as kernel_for
from engine.compiler.kernels.metal.linear import linear, pack_weight, packed_shape
from engine.compiler.kernels.metal.lstm import pack_hidden_weight, packed_hidden_shape, recurrence
from engine.network.ops.attention import attention
from engine.network.ops.packed_lstm import lstm_forward_packed, lstm_forward_packed_bidirectional
from tests.engine.compiler.kernels.metal.running import GROUP, TOLERANCE, built, normal

HEADS = 2


@pytest.mark.parametrize("width", [12, 70])
def test_attention_ignores_keys_beyond_the_valid_length(width):
    kernel = built(kernel_for(HEADS, width, GROUP))
    for lengths in ([1], [3, 130]):
        batch, time = len(lengths), max(lengths) + 2
        x = 2 * normal(batch, time, 3 * HEADS * width)
        counts = np.array(lengths, np.int32)
        expected = attention(x, counts, HEADS)
        for batch_index, length in enumerate(lengths):
            x[batch_index, length:] = np.nan
        np.testing.assert_allclose(kernel((batch, time, HEADS * width), x, counts), expected, **TOLERANCE)


@pytest.mark.parametrize("has_gelu", [True, False])
@pytest.mark.parametrize("has_bias", [True, False])
def test_any_number_of_rows_equals_torch(has_bias, has_gelu):
    in_features, out_features = 19, 37
    weight, bias = normal(out_features, in_features), normal(out_features, seed=1)
    pack = built(pack_weight(out_features, in_features, GROUP))
    kernel = built(linear(in_features, out_features, Epilogue(has_bias, has_gelu=has_gelu), GROUP))
    packed = pack(packed_shape(out_features, in_features, GROUP), weight)
    for rows in (1, 33, 70):
        x = normal(rows, in_features, seed=2)
        expected = functional.linear(*map(torch.from_numpy, (x, weight, *([bias] if has_bias else []))))
        if has_gelu:
            expected = functional.gelu(expected, approximate="tanh")
        result = kernel((rows, out_features), x, packed, *([bias] if has_bias else []))
        np.testing.assert_allclose(result, expected, **TOLERANCE)


@pytest.mark.parametrize("hidden_size", [6, 40])
@pytest.mark.parametrize("directions", [1, 2])
def test_ragged_batches_equal_numpy(hidden_size, directions):
    width = 5
    weights = [
        (normal(4 * hidden_size, width, seed=seed), normal(4 * hidden_size, hidden_size, seed=seed + 1) / 4)
        for seed in range(directions)
    ]
    bias = normal(4 * hidden_size)
    sizes = (hidden_size, directions, GROUP)
    packed = built(pack_hidden_weight(*sizes))(packed_hidden_shape(*sizes), np.concatenate([w for _, w in weights]))
    kernel = built(recurrence(*sizes))
    reference = lstm_forward_packed if directions == 1 else lstm_forward_packed_bidirectional
    for lengths in ([1], [9, 2, 5]):
        counts, time = np.array(lengths, np.int32), max(lengths) + 2
        x = normal(len(lengths), time, width, seed=7)
        projected = np.concatenate([x @ of_input.T + bias for of_input, _ in weights], axis=2)
        for batch_index, length in enumerate(lengths):
            projected[batch_index, length:] = np.nan
        arguments = [argument for of_input, of_hidden in weights for argument in (of_input, of_hidden, bias)]
        result = kernel((len(lengths), time, directions * hidden_size), projected, packed, counts)
        np.testing.assert_allclose(result, reference(x, counts, *arguments), **TOLERANCE)


def test_cells_may_count_many_steps():
    """Trained LSTMs have cells that grow with every frame; twice of one is more than a float32 e^x can take."""
    hidden_size, steps, open_gate = 4, 1500, 20.0
    sizes = (hidden_size, 1, GROUP)
    packed = built(pack_hidden_weight(*sizes))(
        packed_hidden_shape(*sizes), np.zeros((4 * hidden_size, hidden_size), np.float32)
    )
    projected = np.full((1, steps, 4 * hidden_size), open_gate, np.float32)
    result = built(recurrence(*sizes))((1, steps, hidden_size), projected, packed, np.array([steps], np.int32))
    np.testing.assert_allclose(result[0, :, 0], np.tanh(np.arange(1, steps + 1)), **TOLERANCE)
