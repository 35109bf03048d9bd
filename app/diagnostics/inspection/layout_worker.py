"""Lays graphs out for the window: one drawing a line in, one layout a line out.

    python -m app.diagnostics.inspection.layout_worker

It ends when its input does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable

from app.diagnostics.inspection.layout import drawing_from, lay_out
from engine.system.child_process import Message, message_writer


def main() -> int:
    """Answer until standard input ends; exit code 0."""
    answer(sys.stdin, message_writer())
    return 0


def answer(lines: Iterable[str], write: Callable[[Message], None]) -> None:
    """Answer each line, a drawing, by its layout."""
    for line in lines:
        write(lay_out(drawing_from(json.loads(line))).plain())


if __name__ == "__main__":
    sys.exit(main())
