"""A student: a Transformer that stands in for a bidirectional LSTM of one layer and computes all steps at once.

It guesses the state of the LSTM at every step, and the LSTM's own cell, from its own weights, then corrects all guesses
together, a few times: each time the gates of every step are computed from the hidden state guessed for the one before
it, and with these gates the cell state is carried over some steps. A correction moves exact values one step further
from the borders, so a sequence of no more steps than corrections comes out exact.

For given gates, the cell state c(t) = f(t) c(t - 1) + e(t) is a linear recurrence. Two of its steps make one of the
same form, c(t) = f(t) f(t - 1) c(t - 2) + (e(t) + f(t) e(t - 1)), so that n doublings compute 2 ** n steps (Hillis and
Steele's scan). The state before those steps is a guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.network.exportable.blocks import is_beyond, zero_beyond
from engine.network.ops.torch_ops import attention

ROTARY_BASE = 10_000.0
INITIAL_WEIGHT_DEVIATION = 0.02


@dataclass(frozen=True)
class StudentArchitecture:
    """The sizes that a student is built from.

    `inputs` and `units` (per direction) are those of its LSTM; `width`, `heads`, `layers` and `kernel` those of the
    Transformer, the last being steps of its convolutions; `corrections` is how often the cell corrects the guess, and
    each time the cell state is carried over 2 ** `doublings` steps.
    """

    inputs: int
    units: int
    width: int = 192
    heads: int = 4
    layers: int = 2
    kernel: int = 5
    corrections: int = 2
    doublings: int = 0


def student_from(architecture: Mapping[str, Any]) -> LstmStudent:
    """A student from the fields of a `StudentArchitecture`; raises `TypeError` for other fields."""
    return LstmStudent(StudentArchitecture(**architecture))


class LstmStudent(nn.Module):
    """Computes about what a `torch.nn.LSTM` of one layer and two directions does; its cell's weights have their names.

    In training mode the attention can be differentiated; in evaluation mode it is the operator that the compiler knows.
    """

    weight_ih_l0: Tensor
    weight_hh_l0: Tensor
    bias_ih_l0: Tensor
    bias_hh_l0: Tensor
    weight_ih_l0_reverse: Tensor
    weight_hh_l0_reverse: Tensor
    bias_ih_l0_reverse: Tensor
    bias_hh_l0_reverse: Tensor

    def __init__(self, architecture: StudentArchitecture) -> None:
        super().__init__()
        self.architecture = architecture
        inputs, units, width = architecture.inputs, architecture.units, architecture.width
        for name, shape in cell_shapes(inputs, units).items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape), requires_grad=False))
        self.entry = nn.Linear(inputs, width)
        self.layers = nn.ModuleList(_Layer(architecture) for _ in range(architecture.layers))
        self.norm = nn.LayerNorm(width)
        self.states = nn.ModuleList(_near_zero(nn.Linear(width, units)) for _ in range(4))

    @classmethod
    def of(cls, lstm: nn.LSTM, **sizes: int) -> LstmStudent:
        """A new student of this LSTM, with its weights and with these sizes of a `StudentArchitecture`."""
        student = cls(StudentArchitecture(lstm.input_size, lstm.hidden_size, **sizes))
        student.load_state_dict(lstm.state_dict(), strict=False)
        return student

    @property
    def taught(self) -> dict[str, Tensor]:
        """The weights that are the student's own, by name."""
        cell = cell_shapes(self.architecture.inputs, self.architecture.units)
        return {name: tensor for name, tensor in self.state_dict().items() if name not in cell}

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """The output [batch, time, 2 * units] for `x` [batch, time, inputs], 0 beyond the int32 `lengths`.

        Nothing beyond a length has an effect on the result.
        """
        x = zero_beyond(x, lengths, axis=1)
        hidden, cell, hidden_back, cell_back = self.guess(x, lengths)
        distances = [2**power for power in range(self.architecture.doublings + 1)]
        earlier = [_earlier(hidden, distance) for distance in distances]
        later = [_later(hidden, lengths, distance) for distance in distances]
        hidden = self._corrected(x, hidden, cell, earlier, "")
        hidden_back = self._corrected(x, hidden_back, cell_back, later, "_reverse")
        return zero_beyond(torch.cat([hidden, hidden_back], dim=2), lengths, axis=1)

    def guess(self, x: Tensor, lengths: Tensor) -> tuple[Tensor, ...]:
        """The guessed hidden state and cell state of both directions, each [batch, time, units], from masked `x`."""
        y = self.entry(x)
        for layer in self.layers:
            y = layer(y, lengths)
        y = self.norm(y)
        hidden, cell, hidden_back, cell_back = (guess(y) for guess in self.states)
        return torch.tanh(hidden), cell, torch.tanh(hidden_back), cell_back

    def _corrected(
        self, x: Tensor, hidden: Tensor, cell: Tensor, neighbors: Sequence[_Neighbors], direction: str
    ) -> Tensor:
        """The hidden states of a direction, [batch, time, units], from guesses of them and of the cell states.

        `neighbors` are those 1, 2, 4 ... steps away.
        """
        names = (f"{name}_l0{direction}" for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        weight, recurrent, *biases = (_gates_first(self.get_parameter(name)) for name in names)
        drive = functional.linear(x, weight, biases[0] + biases[1])
        for _ in range(self.architecture.corrections):
            gates = drive + functional.linear(neighbors[0].of(hidden), recurrent)
            hidden, cell = self._step(gates, cell, neighbors)
        return hidden

    def _step(self, gates: Tensor, cell: Tensor, neighbors: Sequence[_Neighbors]) -> tuple[Tensor, Tensor]:
        """Hidden and cell state of every step, [batch, time, units], from its gates and the guessed cell states."""
        sigmoid, tanh = (torch.sigmoid, torch.tanh) if self.training else (_sigmoid, _tanh)
        units = self.architecture.units
        opened, candidate = gates.split([3 * units, units], dim=2)
        entering, kept, leaving = sigmoid(opened).chunk(3, dim=2)
        entered = entering * tanh(candidate)
        for before in neighbors[:-1]:
            entered, kept = entered + kept * before.of(entered), kept * before.of(kept)
        cell = entered + kept * neighbors[-1].of(cell)
        return leaving * tanh(cell), cell


@dataclass(frozen=True)
class _Neighbors:
    """The step some steps before each step: `index` [batch, time, units], `missing` where there is none."""

    index: Tensor
    missing: Tensor

    def of(self, x: Tensor) -> Tensor:
        """The values of `x` [batch, time, units] at those steps, 0 where there is none."""
        return torch.gather(x, 1, self.index).masked_fill(self.missing, 0)


def _gates_first(parameter: Tensor) -> Tensor:
    """A cell's weights in the order entering, forgetting, leaving, candidate: the first three are activated alike."""
    entering, forgetting, candidate, leaving = parameter.chunk(4)
    return torch.cat([entering, forgetting, leaving, candidate])


def cell_shapes(inputs: int, units: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the weights of a `torch.nn.LSTM` of one layer and two directions, by name."""
    shapes: dict[str, tuple[int, ...]] = {}
    for direction in ("", "_reverse"):
        shapes[f"weight_ih_l0{direction}"] = 4 * units, inputs
        shapes[f"weight_hh_l0{direction}"] = 4 * units, units
        shapes[f"bias_ih_l0{direction}"] = (4 * units,)
        shapes[f"bias_hh_l0{direction}"] = (4 * units,)
    return shapes


def _near_zero(layer: nn.Linear) -> nn.Linear:
    nn.init.normal_(layer.weight, std=INITIAL_WEIGHT_DEVIATION)
    return layer


class _Layer(nn.Module):
    """Attention over all steps, then a feed-forward network that begins with a convolution; both are residual."""

    def __init__(self, architecture: StudentArchitecture) -> None:
        super().__init__()
        width, kernel = architecture.width, architecture.kernel
        self._heads = architecture.heads
        self.attention_norm, self.norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries, self.keys, self.values = (nn.Linear(width, width) for _ in range(3))
        self.mixed = nn.Linear(width, width)
        self.convolution = nn.Conv1d(width, 2 * width, kernel, padding=kernel // 2)
        self.narrowed = nn.Linear(2 * width, width)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """The next values [batch, time, width]; arbitrary but finite beyond a length."""
        y = self.attention_norm(x)
        parts = rotated(self.queries(y), self._heads), rotated(self.keys(y), self._heads), self.values(y)
        attend = _differentiable_attention if self.training else attention
        x = x + self.mixed(attend(torch.cat(parts, dim=2), lengths, self._heads))
        y = zero_beyond(self.norm(x), lengths, axis=1).transpose(1, 2)
        y = functional.gelu(self.convolution(y).transpose(1, 2), approximate="tanh")
        joined: Tensor = x + self.narrowed(y)
        return joined


def rotated(x: Tensor, heads: int) -> Tensor:
    """Queries or keys [batch, time, heads * width] turned by their position (rotary embedding, arXiv 2104.09864)."""
    batch, time, channels = x.shape
    half = channels // heads // 2
    # Counted in integers, and then converted: on Metal the compiler knows no other range.
    rates = ROTARY_BASE ** (-torch.arange(half).to(torch.float32) / half)
    angles = torch.arange(time).to(torch.float32)[:, None, None] * rates
    first, second = x.reshape(batch, time, heads, 2 * half).chunk(2, dim=3)
    cosine, sine = angles.cos(), angles.sin()
    turned = torch.cat([first * cosine - second * sine, first * sine + second * cosine], dim=3)
    return turned.reshape(batch, time, channels)


def _differentiable_attention(x: Tensor, lengths: Tensor, heads: int) -> Tensor:
    """`attention` by PyTorch's own operators."""
    batch, time, channels = x.shape
    rows, keys, values = x.reshape(batch, time, 3, heads, channels // (3 * heads)).permute(2, 0, 3, 1, 4)
    mask = ~is_beyond(time, lengths)[:, None, None]
    mixed = functional.scaled_dot_product_attention(rows, keys, values, attn_mask=mask)
    return mixed.transpose(1, 2).reshape(batch, time, channels // 3)


def _sigmoid(x: Tensor) -> Tensor:
    """The sigmoid by the exponential, for which the compiler has a dedicated kernel; its gradient may overflow."""
    return 1 / (1 + torch.exp(-x))


def _tanh(x: Tensor) -> Tensor:
    """The hyperbolic tangent by the exponential; see `_sigmoid`."""
    return 2 * _sigmoid(2 * x) - 1


def _earlier(x: Tensor, distance: int) -> _Neighbors:
    """The steps that come before those of `x` [batch, time, units] in the forward direction."""
    steps = torch.arange(x.shape[1], dtype=torch.int32)
    before = (steps - distance) * (steps >= distance).to(torch.int32)
    return _Neighbors(before.long()[None, :, None].expand(x.shape), (steps < distance)[None, :, None])


def _later(x: Tensor, lengths: Tensor, distance: int) -> _Neighbors:
    """The steps that come before those of `x` in the backward direction, which begins at the end of each sequence."""
    last = lengths[:, None] - 1
    steps = torch.arange(x.shape[1], dtype=torch.int32)[None]
    after = torch.minimum(steps + distance, last)
    return _Neighbors(after.long()[:, :, None].expand(x.shape), (steps + distance > last)[:, :, None])
