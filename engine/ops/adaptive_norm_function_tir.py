"""The function of adaptive instance normalisation with the activation that follows it, for every target.

It does not know how the statistics are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.ops.activation_tir import Activation
from engine.ops.operands_tir import with_operands


@dataclass(frozen=True)
class Operands:
    """Buffers and sizes inside the function: `source` and `target` [batch, channels, time], `styles` [batch, values].

    `lengths` [batch]; `weight`, `bias` and `parameter` [channels], the last only where the activation has one.
    """

    channels: int
    activation: Activation
    source: Any
    lengths: Any
    styles: Any
    offset: Any
    weight: Any
    bias: Any
    parameter: Any
    target: Any
    batch: Any
    time: Any

    def gamma(self, member: Any, channel: Any) -> Any:
        """A normalised value with its weight and bias is multiplied with 1 more than this."""
        return self.styles[member, self.offset + channel]

    def beta(self, member: Any, channel: Any) -> Any:
        """What is added in the end."""
        return self.styles[member, self.offset + self.channels + channel]

    def alpha(self, channel: Any) -> Any:
        """The activation's parameter, 0 if it has none."""
        return self.parameter[channel] if self.activation.has_parameter else T.float32(0)


def adaptive_norm_function(
    channels: int, activation: Activation, body: Any, index: Any, styles_type: str = "float32"
) -> PrimFunc:
    """The function: x [B, channels, L], lengths [B], styles [B, values], weight, bias [channels], offset -> y as x.

    `offset` is int32: where the channels' gamma and then their beta stand in the styles. The activation's parameter
    [channels], if it has one, comes before y. `body` is inlined with `Operands`; `index` is the type of sizes, such as
    `T.int64`.
    """

    @T.prim_func(s_tir=True)
    def adaptive_norm(
        x: T.handle, n: T.handle, s: T.handle, w: T.handle, b: T.handle, offset: T.int32, p: T.handle, y: T.handle
    ) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = index()
        time = index()
        values = index()
        source = T.match_buffer(x, (batch, channels, time), "float32")
        lengths = T.match_buffer(n, (batch,), "int32")
        styles = T.match_buffer(s, (batch, values), styles_type)
        weight = T.match_buffer(w, (channels,), "float32")
        bias = T.match_buffer(b, (channels,), "float32")
        parameter = T.match_buffer(p, (channels,), "float32")
        target = T.match_buffer(y, (batch, channels, time), "float32")
        body(
            Operands(
                channels, activation, source, lengths, styles, offset, weight, bias, parameter, target, batch, time
            )
        )

    return with_operands(adaptive_norm, parameter=activation.has_parameter)
