"""Bounds what a run of a long text takes in memory: only some utterances keep the errors of their rows along time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace

from engine.validator.data.results import Reading, Row

MOST_UTTERANCES = 40
"""Those of a whole book would fill the memory."""


class KeptCurves:
    """Hears of each utterance when it begins; those compared last keep their curves, and rows that are worst of all."""

    def __init__(self) -> None:
        self._utterances: deque[int] = deque()

    def begin(
        self, utterance: int, rows: Mapping[tuple[int, str, Reading, str], dict[str, Row]], worst: Iterable[Row]
    ) -> None:
        """Let go of the curves of the utterance that was compared longest ago, if there are too many.

        The keys of `rows` begin with the number of the utterance.
        """
        if utterance in self._utterances:
            return
        self._utterances.append(utterance)
        if len(self._utterances) <= MOST_UTTERANCES:
            return
        let_go, kept = self._utterances.popleft(), {id(row) for row in worst}
        for of_stage in (found for key, found in rows.items() if key[0] == let_go):
            of_stage.update({name: replace(row, profile=None) for name, row in of_stage.items() if id(row) not in kept})
