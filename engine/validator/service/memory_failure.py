"""What is said when a comparison runs out of memory, whichever library it was in."""

from __future__ import annotations

from engine.errors import EngineError

_SIGNS = (
    "not enough memory",
    "can't allocate memory",
    "cannot allocate memory",
    "out of memory",
    "bad_alloc",
    "could not create a primitive",
)
"""PyTorch, oneDNN (the last sign) and TVM raise a plain `RuntimeError` and tell the cause in their text."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error of Python, NumPy, PyTorch or TVM means that memory could not be had."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _SIGNS)


def out_of_memory() -> EngineError:
    """The failure in words."""
    return EngineError(
        "There is not enough memory to compare this.", "Close other programs, or compare a shorter text."
    )
