"""What a linear layer may do with an output before it is stored. It does not know how the layer is computed."""

from __future__ import annotations

from enum import Enum
from typing import Any

from engine.kernels.mathematics import gelu_tanh


class Epilogue(Enum):
    """What is done with an output before it is stored."""

    NONE = "none"
    GELU_TANH = "gelu_tanh"

    def apply(self, value: Any) -> Any:
        """The expression for one output."""
        return gelu_tanh(value) if self is Epilogue.GELU_TANH else value
