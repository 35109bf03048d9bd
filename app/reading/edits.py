"""How the places in a text move while it is being edited."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class _Edit:
    """At `start`, `removed` characters gave way to `added` others."""

    start: int
    removed: int
    added: int

    def moved(self, character: int) -> int:
        """Where a character is afterwards; what was removed is where it was removed."""
        if character <= self.start:
            return character
        return max(self.start, character - self.removed) + self.added if character >= self.end else self.start

    @property
    def end(self) -> int:
        return self.start + self.removed


class Edits:
    """The edits of a text since some moment, in order."""

    def __init__(self) -> None:
        self._edits: list[_Edit] = []

    def note(self, start: int, removed: int, added: int) -> None:
        """Another edit; typing on in the same place is one edit, however long it lasts."""
        last = self._edits[-1] if self._edits else None
        if last is not None and not removed and start == last.start + last.added:
            self._edits[-1] = _Edit(last.start, last.removed, last.added + added)
        elif removed or added:
            self._edits.append(_Edit(start, removed, added))

    def now(self, character: int) -> int:
        """Where a character of the text as it was is now."""
        for edit in self._edits:
            character = edit.moved(character)
        return character

    def before(self, character: int) -> int:
        """Which character of the text as it was is there now."""
        for edit in reversed(self._edits):
            character = _Edit(edit.start, edit.added, edit.removed).moved(character)
        return character
