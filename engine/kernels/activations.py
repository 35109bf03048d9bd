"""What may follow a normalisation in the same kernel, as expressions of one value.

It does not know how the value is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tvm.script import tirx as T

from engine.kernels.mathematics import sin_squared


@dataclass(frozen=True)
class Activation:
    """None at all; the others derive from it. `has_parameter` says that it has one value per channel."""

    has_parameter: ClassVar[bool] = False

    def apply(self, value: Any, parameter: Any) -> Any:
        """The expression of the output; `parameter` is the channel's, if any."""
        return value


@dataclass(frozen=True)
class LeakyReLU(Activation):
    """Values below 0 times `slope`."""

    slope: float

    def apply(self, value: Any, parameter: Any) -> Any:
        """The expression of the output."""
        return T.Select(value > 0, value, value * T.float32(self.slope))


@dataclass(frozen=True)
class Snake(Activation):
    """y + sin(alpha y)^2 / alpha."""

    has_parameter: ClassVar[bool] = True

    def apply(self, value: Any, parameter: Any) -> Any:
        """The expression of the output; `parameter` is alpha."""
        return value + sin_squared(parameter * value) * (T.float32(1) / parameter)  # divided once for a channel
