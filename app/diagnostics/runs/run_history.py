"""The runs of this session, newest first: their numbers, their names, and where they are pinned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_words import run_name, run_title

LONGEST = 20


@dataclass(frozen=True)
class ListedRun:
    """A run in the history: its number, the name that the user gave it, if any, and its file if it is pinned."""

    run: DiagnosticsRun
    number: int
    given_name: str = ""
    pinned: Path | None = None

    @property
    def name(self) -> str:
        """The name that it was given, or else what it was."""
        return self.given_name or run_name(self.run)

    @property
    def title(self) -> str:
        """Its line in a list."""
        return run_title(self.number, self.run, self.given_name, self.pinned is not None)


class RunHistory:
    """Numbers the runs from 1; drops the oldest that is not pinned when there are too many."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._last_number = 0
        self._listed: list[ListedRun] = []

    @property
    def runs(self) -> tuple[DiagnosticsRun, ...]:
        """All runs, newest first."""
        return tuple(listed.run for listed in self._listed)

    @property
    def listed(self) -> tuple[ListedRun, ...]:
        """All runs with their names, newest first."""
        return tuple(self._listed)

    def add(self, run: DiagnosticsRun, name: str = "", pinned: Path | None = None) -> None:
        """Add a run as the newest; one that is already listed stays where it is."""
        if run in self.runs:
            return
        self._last_number += 1
        self._listed.insert(0, ListedRun(run, self._last_number, name, pinned))
        if len(self._listed) > self._longest:
            self._drop_oldest()

    def of(self, run: DiagnosticsRun) -> ListedRun:
        """The entry of a run; raises `KeyError` if it is not listed."""
        for listed in self._listed:
            if listed.run is run:
                return listed
        raise KeyError("The run is not listed.")

    def number_of(self, run: DiagnosticsRun) -> int:
        """The number of a run; raises `KeyError` if it is not listed."""
        return self.of(run).number

    def rename(self, run: DiagnosticsRun, name: str) -> None:
        """Give a run a name; an empty one gives it back the name of what it was."""
        self._replace(replace(self.of(run), given_name=" ".join(name.split())))

    def pin(self, run: DiagnosticsRun, path: Path | None) -> None:
        """Note where a run is pinned; None if it no longer is."""
        self._replace(replace(self.of(run), pinned=path))

    def pinned_at(self, path: Path) -> DiagnosticsRun | None:
        """The run that is pinned in this file, if it is listed."""
        return next((listed.run for listed in self._listed if listed.pinned == path), None)

    def _replace(self, changed: ListedRun) -> None:
        self._listed = [changed if each.run is changed.run else each for each in self._listed]

    def _drop_oldest(self) -> None:
        """Drop the oldest run that is not pinned; of pinned ones only, the oldest."""
        dropped = next((each for each in reversed(self._listed[1:]) if each.pinned is None), self._listed[-1])
        self._listed.remove(dropped)
