"""The lines of Python that made the nodes of a traced stage."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from torch import fx
from torch.fx.proxy import TracerBase

from engine.system.paths import project_folder
from engine.validator.inspection.results import SourceLine

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in \S+\n\s*(?P<text>[^\n]*)')
_OURS = "engine/network/exportable"
"""The folder whose lines are meant: a stage's own, not those of PyTorch below them."""


@contextmanager
def lines_kept() -> Iterator[None]:
    """Let torch note every line of ours on the way to a node while a stage is traced.

    By itself it notes only those of modules' `forward`, not those of the functions that they call.
    """
    with patch.object(TracerBase, "_filter_traceback_frames", _our_frames):
        yield


def source_of(node: fx.Node) -> tuple[SourceLine, ...]:
    """The lines that made a node, the innermost first."""
    found = _FRAME.finditer(node.meta.get("stack_trace") or "")
    lines = (SourceLine(_relative(one["file"]), int(one["line"]), one["text"].strip()) for one in found)
    return tuple(line for line in lines if _OURS in line.file)[::-1]


def _our_frames(tracer: TracerBase, frames: traceback.StackSummary) -> traceback.StackSummary:
    return traceback.StackSummary.from_list([frame for frame in frames if _OURS in Path(frame.filename).as_posix()])


def _relative(file: str) -> str:
    path = Path(file)
    return path.relative_to(project_folder()).as_posix() if path.is_relative_to(project_folder()) else path.name
