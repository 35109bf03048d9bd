"""The precision of the factors that convolutions multiply: single or half."""

from __future__ import annotations

from enum import StrEnum


class Precision(StrEnum):
    """The type of the factors; sums always have single precision."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
