"""What convolutions multiply: single or half precision. It does not know which of them do."""

from __future__ import annotations

from enum import StrEnum


class Precision(StrEnum):
    """The type of the factors; sums are of single precision always."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
