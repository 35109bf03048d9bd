"""The packed LSTM in numpy, the reference of every implementation, and the ways to compute it.

A sequence ends at its own length: the forward direction stops there, the backward direction starts there, and the
output beyond is 0.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Lengths = NDArray[np.integer]


class LstmMethod(StrEnum):
    """The implementation of the LSTMs of a compiled module."""

    MPS = "mps"
    """Metal Performance Shaders, through the function of `engine.compiler.mps_bridge`; only on Metal."""
    TIR = "tir"
    """A hand-written kernel in the module."""
    TORCH = "torch"
    """PyTorch on the CPU, through the function of `engine.runtime.runners.lstm_functions`."""

    @property
    def function(self) -> str | None:
        """The global function that a module calls for its LSTMs; None if it computes them itself.

        It takes x [batch, time, input], lengths [batch], then the weights of all directions concatenated
        ([directions * 4 hidden, input], [directions * 4 hidden, hidden] and [directions * 4 hidden]), and fills its
        last argument, y [batch, time, directions * hidden].
        """
        return {LstmMethod.MPS: "tvm.contrib.mps.lstm_packed", LstmMethod.TORCH: "kokoro.torch.lstm_packed"}.get(self)


class LstmSemantics(StrEnum):
    """The treatment of padding in an LSTM's sequences."""

    PACKED = "packed"
    """Padding is never read: every sequence ends at its own length."""
    NO_PACK = "no-pack"
    """Padding is processed and the output masked afterwards, as in a static export without packing.

    The backward direction then carries its state from the padding into every valid step. For comparison only.
    """


def lstm_forward_packed(
    x: Floats, lengths: Lengths, weight_ih: Floats, weight_hh: Floats, bias: Floats
) -> NDArray[np.float32]:
    """One direction over `x` [batch, time, input]; returns [batch, time, hidden].

    `weight_ih` [4 hidden, input], `weight_hh` [4 hidden, hidden] and `bias` [4 hidden] (both of torch's biases summed)
    hold the gates in the order input, forget, cell, output, as in `torch.nn.LSTM`.
    """
    batch, time, _ = x.shape
    result = np.zeros((batch, time, weight_hh.shape[1]), np.float32)
    for batch_index, length in enumerate(lengths):
        result[batch_index, :length] = _run(x[batch_index, :length], weight_ih, weight_hh, bias)
    return result


def lstm_forward_packed_bidirectional(
    x: Floats,
    lengths: Lengths,
    weight_ih: Floats,
    weight_hh: Floats,
    bias: Floats,
    weight_ih_reverse: Floats,
    weight_hh_reverse: Floats,
    bias_reverse: Floats,
) -> NDArray[np.float32]:
    """Both directions side by side; returns [batch, time, 2 hidden]. Arguments as for `lstm_forward_packed`."""
    forward = lstm_forward_packed(x, lengths, weight_ih, weight_hh, bias)
    backward = lstm_forward_packed(
        reversed_within(x, lengths), lengths, weight_ih_reverse, weight_hh_reverse, bias_reverse
    )
    return np.concatenate([forward, reversed_within(backward, lengths)], axis=2)


def reversed_within(x: Floats, lengths: Lengths) -> NDArray[np.float32]:
    """`x` [batch, time, channels] with the first `length` steps of each sequence in reverse order."""
    result = x.copy()
    for batch_index, length in enumerate(lengths):
        result[batch_index, :length] = x[batch_index, :length][::-1]
    return result


def _run(x: Floats, weight_ih: Floats, weight_hh: Floats, bias: Floats) -> NDArray[np.float32]:
    projected = x @ weight_ih.T + bias
    hidden = cell = np.zeros(weight_hh.shape[1], np.float32)
    outputs = np.zeros((len(x), len(hidden)), np.float32)
    for step, projection in enumerate(projected):
        gate_in, gate_forget, candidate, gate_out = np.split(projection + weight_hh @ hidden, 4)
        cell = _sigmoid(gate_forget) * cell + _sigmoid(gate_in) * np.tanh(candidate)
        outputs[step] = hidden = _sigmoid(gate_out) * np.tanh(cell)
    return outputs


def _sigmoid(x: Floats) -> NDArray[np.float32]:
    # sigmoid x = (1 + tanh(x / 2)) / 2, which never overflows.
    half = np.float32(0.5)
    return np.asarray(half + half * np.tanh(half * x))
