"""A fault as data: the kernel with the fault, the change in its text, and the symptom."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import CompileError

_CONTEXT = 40
"""The number of characters shown before a difference, and after it."""


@dataclass(frozen=True)
class Edit:
    """A change of a kernel's TVMScript: matches of `pattern` become `replacement`, as in `re.sub`.

    Only the first match changes, or all if `everywhere`.
    """

    pattern: str
    replacement: str
    everywhere: bool = False

    def made_in(self, script: str) -> str | None:
        """Return the changed script; None if nothing in it matches."""
        changed, count = re.subn(self.pattern, self.replacement, script, count=0 if self.everywhere else 1)
        return changed if count else None


@dataclass(frozen=True)
class Fault:
    """A fault in a kernel: `title` names it, `planted` describes the change, `symptom` its effect on the speech.

    The kernel is the first of those named `kernel` in the stage whose script has a match for `edit`. A fault with
    `needs_padding` shows only on arrays longer than the speech in them, one with a `text` only at the lengths of this
    text.
    """

    name: str
    title: str
    stage: str
    kernel: str
    edit: Edit
    planted: str
    symptom: str
    needs_padding: bool = False
    text: str = ""

    def is_in(self, function_name: str) -> bool:
        """Return whether a function of this name is a kernel that the fault may be injected into."""
        return re.fullmatch(rf"{self.kernel}\d*", function_name) is not None


@dataclass(frozen=True)
class ChangedLine:
    """A line of a kernel's TVMScript before and after the fault was injected."""

    before: str
    after: str

    @property
    def excerpts(self) -> tuple[str, str]:
        """The part of each line around the first difference, short enough to read."""
        pairs = enumerate(zip(self.before, self.after, strict=False))
        first = next((place for place, (old, new) in pairs if old != new), min(len(self.before), len(self.after)))
        start = max(first - _CONTEXT, 0)
        return _excerpt(self.before, start), _excerpt(self.after, start)


def _excerpt(line: str, start: int) -> str:
    end = start + 2 * _CONTEXT
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


@dataclass(frozen=True)
class PlantedFault:
    """An injected fault: its name, its stage, the faulty kernel's name in the library, and its changed lines."""

    name: str
    stage: str
    kernel: str
    changes: tuple[ChangedLine, ...]


def changed_lines(before: str, after: str) -> tuple[ChangedLine, ...]:
    """Return the lines in which two scripts differ; raises `CompileError` if they have different numbers of lines."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) != len(new):
        raise CompileError("A fault must change lines of a kernel, not add or remove any.")
    return tuple(ChangedLine(a.strip(), b.strip()) for a, b in zip(old, new, strict=True) if a != b)
