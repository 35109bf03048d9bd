"""The packed LSTM as torch operators that stay whole through `torch.export`.

It does not know how a compiler lowers them.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence


@torch.library.custom_op("kokoro::lstm_forward_packed", mutates_args=())
def lstm_forward_packed(x: Tensor, lengths: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    """As `engine.ops.packed_lstm.lstm_forward_packed`, on tensors; `lengths` is int32."""
    return _run(x, lengths, [weight_ih, weight_hh, bias, torch.zeros_like(bias)], bidirectional=False)


@lstm_forward_packed.register_fake
def _(x: Tensor, lengths: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], weight_hh.shape[1])


@torch.library.custom_op("kokoro::lstm_forward_packed_bidirectional", mutates_args=())
def lstm_forward_packed_bidirectional(
    x: Tensor,
    lengths: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias: Tensor,
    weight_ih_reverse: Tensor,
    weight_hh_reverse: Tensor,
    bias_reverse: Tensor,
) -> Tensor:
    """As `engine.ops.packed_lstm.lstm_forward_packed_bidirectional`, on tensors; `lengths` is int32."""
    none = torch.zeros_like(bias)
    weights = [weight_ih, weight_hh, bias, none, weight_ih_reverse, weight_hh_reverse, bias_reverse, none]
    return _run(x, lengths, weights, bidirectional=True)


@lstm_forward_packed_bidirectional.register_fake
def _(
    x: Tensor,
    lengths: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias: Tensor,
    weight_ih_reverse: Tensor,
    weight_hh_reverse: Tensor,
    bias_reverse: Tensor,
) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], 2 * weight_hh.shape[1])


def _run(x: Tensor, lengths: Tensor, weights: list[Tensor], *, bidirectional: bool) -> Tensor:
    directions = 2 if bidirectional else 1
    packed = pack_padded_sequence(x, lengths.long(), batch_first=True, enforce_sorted=False)
    initial = x.new_zeros(directions, x.shape[0], weights[1].shape[1])
    data, _, _ = torch._VF.lstm(
        packed.data,
        packed.batch_sizes,
        (initial, initial),
        weights,
        True,  # has biases
        1,  # layers
        0.0,  # dropout
        False,  # training
        bidirectional,
    )
    outputs = PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
    return pad_packed_sequence(outputs, batch_first=True, total_length=x.shape[1])[0]
