"""A service in a process that soon runs out of memory."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.validator.data.results import AlignmentEvent, ValidationEvent
from engine.validator.service.service import Command, Service

SPARE_BYTES = 8 << 20


def serve(commands: Iterator[Command], tell: Callable[[ValidationEvent], None]) -> None:
    """Serve like the function of this name, with little memory once all is loaded; the large stages still follow."""

    def tell_and_limit(event: ValidationEvent) -> None:
        if isinstance(event, AlignmentEvent):
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + SPARE_BYTES, resource.RLIM_INFINITY))
        tell(event)

    Service(tell_and_limit).serve(commands)
