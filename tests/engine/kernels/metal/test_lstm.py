import numpy as np
import pytest

from engine.kernels.metal.lstm import pack_hidden_weight, packed_hidden_shape, recurrence
from engine.ops.packed_lstm import lstm_forward_packed, lstm_forward_packed_bidirectional
from tests.engine.kernels.metal.running import GROUP, TOLERANCE, built, normal


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
