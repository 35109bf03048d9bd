"""Faster parsing of kernels by TVM's script parser, with the same result."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from unittest.mock import patch


@contextmanager
def quick_parsing() -> Iterator[None]:
    """Have `inspect` list frames without their lines of source, in this context only.

    At every macro, TVM's parser asks for all frames below it and uses only their variables. `inspect` looks for the
    source of each, in all loaded modules if code was evaluated, which took most of the time to make a kernel.
    """
    with patch.object(inspect, "getouterframes", _outer_frames):
        yield


def _outer_frames(frame: FrameType | None, context: int = 1) -> list[inspect.FrameInfo]:
    """As `inspect.getouterframes` without lines of context, which `context` asks for."""
    frames = []
    while frame is not None:
        code = frame.f_code
        frames.append(inspect.FrameInfo(frame, code.co_filename, frame.f_lineno, code.co_name, None, None))
        frame = frame.f_back
    return frames
