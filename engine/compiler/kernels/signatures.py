"""The signatures of convolutions, linear layers and adaptive norms, which are the same for every target.

Optional operands, such as a bias, are parameters only when they are given. Each target inlines its own body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from tvm.script import tirx as T
from tvm.tirx import PrimFunc

from engine.compiler.kernels.activations import Activation
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.epilogue import Epilogue


def without_operands(function: PrimFunc, *names: str) -> PrimFunc:
    """The function without the parameters of these names, none of which its body uses."""
    kept = [parameter for parameter in function.params if parameter.name not in names]
    return PrimFunc(kept, function.body, function.ret_type, function.attrs)


def with_operands(function: PrimFunc, **given: bool) -> PrimFunc:
    """The function without the named parameters whose value is False."""
    return without_operands(function, *(name for name, is_given in given.items() if not is_given))


class ConvolutionPlan(Protocol):
    """The properties of a convolution's plan that its signature depends on."""

    @property
    def sizes(self) -> ConvWorkload:
        """The workload."""

    @property
    def packed_shape(self) -> tuple[int, ...]:
        """Shape of the packed weight."""

    @property
    def factors(self) -> str:
        """Type of the packed weight."""


class LinearPlan(Protocol):
    """The properties of a linear layer's plan that its signature depends on."""

    @property
    def in_features(self) -> int:
        """Columns of x."""

    @property
    def out_features(self) -> int:
        """Columns of y."""

    @property
    def epilogue(self) -> Epilogue:
        """The operations on a sum before it is stored."""

    @property
    def packed_shape(self) -> tuple[int, ...]:
        """Shape of the packed weight."""


@dataclass(frozen=True)
class ConvolutionOperands:
    """Buffers and sizes inside the function of a convolution; `epilogue` says whether bias and residual are used.

    `source` is [batch, channels, length], `bias` [out channels]; `residual` and `target` are [batch, out channels,
    outputs].
    """

    epilogue: Epilogue
    source: Any
    weight: Any
    bias: Any
    residual: Any
    target: Any
    batch: Any
    length: Any
    outputs: Any

    def biased(self, total: Any, channel: Any) -> Any:
        """A sum with the bias of its channel."""
        return total + self.bias[channel] if self.epilogue.has_bias else total

    def finished(self, total: Any, place: tuple[Any, ...]) -> Any:
        """The value to store at an index of the target, given its sum with bias."""
        if self.epilogue.has_residual:
            total = total + self.residual[place]
        return self.epilogue.scaled(total)


@dataclass(frozen=True)
class LinearOperands:
    """Buffers and size inside the function of a linear layer; `bias` is used only if the epilogue has one.

    `source` is [row_count, in], `bias` [out], `target` [row_count, out].
    """

    epilogue: Epilogue
    source: Any
    weight: Any
    bias: Any
    target: Any
    row_count: Any

    def biased(self, total: Any, output: Any) -> Any:
        """A sum with the bias of its output."""
        return total + self.bias[output] if self.epilogue.has_bias else total


def convolution_function(plan: ConvolutionPlan, epilogue: Epilogue, body: Any, index: Any) -> PrimFunc:
    """The function: x [B, channels, L], packed weight, bias if any, residual if any -> y [B, out channels, outputs].

    `body` is inlined with (plan, `ConvolutionOperands`); `index` is the type of sizes, such as `T.int64`.
    """

    @T.prim_func(s_tir=True)
    def convolution(x: T.handle, w: T.handle, b: T.handle, r: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        batch = index()
        length = index()
        outputs = index()
        source = T.match_buffer(x, (batch, plan.sizes.channels, length), "float32")
        weight = T.match_buffer(w, plan.packed_shape, plan.factors)
        bias = T.match_buffer(b, (plan.sizes.out_channels,), "float32")
        residual = T.match_buffer(r, (batch, plan.sizes.out_channels, outputs), "float32")
        target = T.match_buffer(y, (batch, plan.sizes.out_channels, outputs), "float32")
        body(plan, ConvolutionOperands(epilogue, source, weight, bias, residual, target, batch, length, outputs))

    return without_operands(convolution, *epilogue.missing)


def linear_function(plan: LinearPlan, body: Any, index: Any) -> PrimFunc:
    """The function: x [rows, in], packed weight, bias [out] if any -> y [rows, out].

    `body` is inlined with (plan, `LinearOperands`); `index` is the type of sizes, such as `T.int64`.
    """

    @T.prim_func(s_tir=True)
    def linear(x: T.handle, w: T.handle, b: T.handle, y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        row_count = index()
        source = T.match_buffer(x, (row_count, plan.in_features), "float32")
        weight = T.match_buffer(w, plan.packed_shape, "float32")
        bias = T.match_buffer(b, (plan.out_features,), "float32")
        target = T.match_buffer(y, (row_count, plan.out_features), "float32")
        body(plan, LinearOperands(plan.epilogue, source, weight, bias, target, row_count))

    return with_operands(linear, bias=plan.epilogue.has_bias)


@dataclass(frozen=True)
class NormOperands:
    """Buffers and sizes inside the function of an adaptive norm.

    `source` and `target` are [batch, channels, time], `styles` [batch, values], `lengths` [batch]; `weight`, `bias` and
    `parameter` are [channels], the last only if the activation has one.
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

    def gamma(self, batch_index: Any, channel: Any) -> Any:
        """The style's scale less 1: the normalized value, with weight and bias, is multiplied by 1 + gamma."""
        return self.styles[batch_index, self.offset + channel]

    def beta(self, batch_index: Any, channel: Any) -> Any:
        """The style's shift, added last."""
        return self.styles[batch_index, self.offset + self.channels + channel]

    def alpha(self, channel: Any) -> Any:
        """The activation's parameter, 0 if it has none."""
        return self.parameter[channel] if self.activation.has_parameter else T.float32(0)


def adaptive_norm_function(channels: int, activation: Activation, body: Any, index: Any) -> PrimFunc:
    """The function: x [B, channels, L], lengths [B], styles [B, values], weight, bias [channels], offset -> y as x.

    `offset` (int32) is the index in the styles of the channels' gammas, which their betas follow. The activation's
    parameter [channels], if it has one, comes before y. `body` is inlined with `NormOperands`; `index` is the type of
    sizes, such as `T.int64`.
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
        styles = T.match_buffer(s, (batch, values), "float32")
        weight = T.match_buffer(w, (channels,), "float32")
        bias = T.match_buffer(b, (channels,), "float32")
        parameter = T.match_buffer(p, (channels,), "float32")
        target = T.match_buffer(y, (batch, channels, time), "float32")
        body(
            NormOperands(
                channels, activation, source, lengths, styles, offset, weight, bias, parameter, target, batch, time
            )
        )

    return with_operands(adaptive_norm, parameter=activation.has_parameter)
