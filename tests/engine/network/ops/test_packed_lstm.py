"""The packed LSTM's meaning must be that of torch's packed sequences, and nothing beyond a length may matter."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from engine.network.ops.packed_lstm import lstm_forward_packed, lstm_forward_packed_bidirectional, reversed_within

INPUTS, HIDDEN = 5, 3
ragged_lengths = st.lists(st.integers(1, 9), min_size=1, max_size=4)


def lstm(bidirectional: bool) -> torch.nn.LSTM:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return torch.nn.LSTM(INPUTS, HIDDEN, batch_first=True, bidirectional=bidirectional)


def weights(network: torch.nn.LSTM) -> list[np.ndarray]:
    parameters = {name: value.detach().numpy() for name, value in network.named_parameters()}
    result = []
    for end in ("", "_reverse") if network.bidirectional else ("",):
        bias = parameters[f"bias_ih_l0{end}"] + parameters[f"bias_hh_l0{end}"]
        result += [parameters[f"weight_ih_l0{end}"], parameters[f"weight_hh_l0{end}"], bias]
    return result


def torch_packed(network: torch.nn.LSTM, x: np.ndarray, lengths: list[int]) -> np.ndarray:
    packed = pack_padded_sequence(torch.from_numpy(x), torch.tensor(lengths), batch_first=True, enforce_sorted=False)
    with torch.no_grad():
        outputs, _ = network(packed)
    return pad_packed_sequence(outputs, batch_first=True, total_length=x.shape[1])[0].numpy()


def inputs(lengths: list[int], padding: int = 2) -> np.ndarray:
    shape = (len(lengths), max(lengths) + padding, INPUTS)
    return np.random.default_rng(len(lengths)).standard_normal(shape, dtype=np.float32)


@settings(max_examples=30)
@given(ragged_lengths)
def test_equals_torch_packed_sequences(lengths):
    for bidirectional, reference in ((False, lstm_forward_packed), (True, lstm_forward_packed_bidirectional)):
        network, x = lstm(bidirectional), inputs(lengths)
        ours = reference(x, np.array(lengths, np.int32), *weights(network))
        np.testing.assert_allclose(ours, torch_packed(network, x, lengths), atol=1e-6)


@pytest.mark.parametrize("filling", [0.0, 7.0, np.nan, np.inf])
def test_padding_does_not_matter(filling):
    lengths = np.array([4, 1], np.int32)
    clean, dirty = inputs([4, 1]), inputs([4, 1])
    dirty[0, 4:] = dirty[1, 1:] = filling
    parameters = weights(lstm(True))
    expected = lstm_forward_packed_bidirectional(clean, lengths, *parameters)
    actual = lstm_forward_packed_bidirectional(dirty, lengths, *parameters)
    np.testing.assert_array_equal(actual, expected)
    assert not actual[1, 1:].any()


def test_backward_starts_at_the_last_step_of_each_sequence():
    x = np.arange(8, dtype=np.float32).reshape(2, 4, 1)
    reverse = reversed_within(x, np.array([3, 1], np.int32))
    assert reverse[:, :, 0].tolist() == [[2, 1, 0, 3], [4, 5, 6, 7]]
