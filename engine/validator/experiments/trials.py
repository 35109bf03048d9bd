"""Tells of each random utterance once all of its rows are there, and how long the rest will take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.validator.data.experiments import ExperimentObserver, ProgressEvent, Trial, TrialEvent
from engine.validator.data.results import (
    AlignmentEvent,
    FinishedEvent,
    Reading,
    Row,
    RowEvent,
    ValidationEvent,
    Verdict,
)
from engine.validator.data.verdicts import severity
from engine.validator.experiments.remaining_time import RemainingTime
from engine.validator.runs.validation import Spoken

TRYING = "Random utterances"
FIXED_PHONEMES = 20
"""What an utterance takes however short it is, in phonemes of a long one."""


class Trials:
    """Takes a validator's events, passes them on, and adds its own: a `TrialEvent` and a `ProgressEvent` for each."""

    def __init__(self, spoken: Sequence[Spoken], observe: ExperimentObserver) -> None:
        self._spoken = spoken
        self._observe = observe
        self._remaining = RemainingTime([FIXED_PHONEMES + len(one.utterance.phonemes) for one in spoken])
        self._rows: list[Row] = []
        self._done = 0

    def take(self, event: ValidationEvent) -> None:
        """Take the next event; utterances come one after the other."""
        if isinstance(event, AlignmentEvent):  # by now every model is loaded
            self._remaining.start()
        if isinstance(event, RowEvent):
            if self._rows and event.row.utterance != self._rows[-1].utterance:
                self._finish()
            self._rows.append(replace(event.row, profile=None))
        elif isinstance(event, FinishedEvent) and self._rows:
            self._finish()
        self._observe(event)

    def _finish(self) -> None:
        rows, self._rows = self._rows, []
        self._done += 1
        one = self._spoken[rows[0].utterance]
        fed = [row for row in rows if row.reading is Reading.REFERENCE_FED]
        right = all(row.verdict is not Verdict.FAIL for row in rows)
        name = one.voice.info.name
        self._observe(TrialEvent(Trial(one.utterance, name, one.speed, one.seed, max(fed, key=severity), right)))
        left = self._remaining.seconds_left(self._done)
        self._observe(ProgressEvent(TRYING, self._done, len(self._spoken), left))
