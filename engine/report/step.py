"""A step of the report and what came of it, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

FOLDER, SCRATCH = "{folder}", "{scratch}"
"""In arguments and environment variables: a folder whose files go into the report, and one that is removed after it."""


class Outcome(StrEnum):
    """What came of a step."""

    OK = "ok"
    FAILED = "failed"
    NOT_HERE = "not here"


@dataclass(frozen=True)
class Step:
    """A Python module that runs in a separate process, with its arguments.

    What it prints is kept as the file `output`, what it says on standard error as log. A step with an `obstacle`, as
    text, does not belong to this machine. `name` is short, and that of a folder.
    """

    name: str
    command: tuple[str, ...]
    limit_seconds: float = 300
    obstacle: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    output: str = "output.txt"


@dataclass(frozen=True)
class StepResult:
    """What came of a step, and why, as text, unless all is well."""

    name: str
    outcome: Outcome
    reason: str = ""
    seconds: float = 0.0

    @property
    def words(self) -> str:
        """The outcome, the reason and the time, in one line."""
        why = f": {self.reason}" if self.reason else ""
        return f"{self.outcome}{why}, {self.seconds:.1f} s" if self.seconds else f"{self.outcome}{why}"
