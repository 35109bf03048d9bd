"""Progress on standard error: lines for people, JSON for a parent process."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from engine.speech import Event, PlanEvent, PreparationEvent


def show_line(line: str) -> None:
    """Write a line of progress."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def show(event: Event) -> None:
    """Write each step of the preparation, and a note for what cannot be spoken as written."""
    if isinstance(event, PreparationEvent):
        show_line(f"{event.title} ({event.done} of {event.total})")
    elif isinstance(event, PlanEvent) and event.plan.whole:
        for notice in event.plan.notices:
            show_line(f"note: {notice.message}")


def show_json(event: PreparationEvent) -> None:
    """Write a step of the preparation for the process that started this one."""
    show_line(json.dumps(asdict(event)))
