"""The runs of this session, newest first, with their numbers and names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_words import run_name, run_title

LONGEST = 20


@dataclass(frozen=True)
class ListedRun:
    """A run in the history: its number, and the name that the user gave it, if any."""

    run: DiagnosticsRun
    number: int
    given_name: str = ""

    @property
    def name(self) -> str:
        """The name that it was given, or else what it was."""
        return self.given_name or run_name(self.run)

    @property
    def title(self) -> str:
        """Its line in a list."""
        return run_title(self.number, self.run, self.given_name)


class RunHistory:
    """Numbers the runs from 1; drops the oldest when there are too many."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._last_number = 0
        self._listed: list[ListedRun] = []

    @property
    def listed(self) -> tuple[ListedRun, ...]:
        """All runs with their names, newest first."""
        return tuple(self._listed)

    def add(self, run: DiagnosticsRun, name: str = "") -> None:
        """Add a run as the newest; one that is already listed stays where it is."""
        if any(each.run is run for each in self._listed):
            return
        self._last_number += 1
        self._listed = [ListedRun(run, self._last_number, name), *self._listed][: self._longest]

    def of(self, run: DiagnosticsRun) -> ListedRun:
        """The entry of a run; raises `KeyError` if it is not listed."""
        for listed in self._listed:
            if listed.run is run:
                return listed
        raise KeyError("The run is not listed.")

    def rename(self, run: DiagnosticsRun, name: str) -> None:
        """Give a run a name; an empty one gives it back the name of what it was."""
        renamed = replace(self.of(run), given_name=" ".join(name.split()))
        self._listed = [renamed if each.run is run else each for each in self._listed]
