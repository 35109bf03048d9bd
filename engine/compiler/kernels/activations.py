"""Activations that a normalization applies in the same kernel, as expressions of one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tvm.script import tirx as T

from engine.compiler.kernels.mathematics import sin_squared


@dataclass(frozen=True)
class Activation:
    """No activation; the others derive from it. `has_parameter` says whether it takes one value per channel."""

    has_parameter: ClassVar[bool] = False

    def apply(self, value: Any, parameter: Any) -> Any:
        """The expression of the output; `parameter` is the channel's, if the activation has one."""
        return value


@dataclass(frozen=True)
class LeakyReLU(Activation):
    """Leaky ReLU: values below 0 are multiplied by `slope`."""

    slope: float

    def apply(self, value: Any, parameter: Any) -> Any:
        """The expression of the output."""
        return T.Select(value > 0, value, value * T.float32(self.slope))


@dataclass(frozen=True)
class Snake(Activation):
    """Snake: y + sin(alpha y)^2 / alpha."""

    has_parameter: ClassVar[bool] = True

    def apply(self, value: Any, parameter: Any) -> Any:
        """The expression of the output; `parameter` is alpha."""
        # The reciprocal depends on the channel alone: one division per channel, a multiplication per value.
        return value + sin_squared(parameter * value) * (T.float32(1) / parameter)
