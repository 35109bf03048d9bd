"""The operations that a convolution or linear layer applies to a sum before storing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.compiler.kernels.mathematics import gelu_tanh, times


@dataclass(frozen=True)
class Epilogue:
    """Stores (sum + bias + residual) * factor, then its GELU in the tanh form; each of these is optional."""

    has_bias: bool = False
    has_residual: bool = False
    factor: float = 1.0
    has_gelu: bool = False

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the operands that the kernel does not take."""
        needed = {"bias": self.has_bias, "residual": self.has_residual}
        return tuple(name for name, is_needed in needed.items() if not is_needed)

    def scaled(self, value: Any) -> Any:
        """The expression of a value times the factor."""
        return value if self.factor == 1 else times(value, self.factor)

    def activated(self, value: Any) -> Any:
        """The expression of a value after the activation."""
        return gelu_tanh(value) if self.has_gelu else value
