"""How much of a text has been compared, and how long the rest will take, whichever utterances come first."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.speech import Plan
from engine.system.durations import duration_words

FEWEST_FOR_ESTIMATE = 2
"""The first utterance takes longer than the others, and a text of one or two is over soon."""


class RunProgress:
    """Hears of each plan, and of each utterance when it begins."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._plan = Plan(())
        self._current: int | None = None
        self._done: set[int] = set()
        self._ends: list[float] = []
        self._first_phonemes = 0

    @property
    def compared(self) -> int:
        """How many utterances are done."""
        return len(self._done)

    @property
    def planned(self) -> int:
        """How many utterances are known."""
        return len(self._plan.utterances)

    @property
    def whole(self) -> bool:
        """Whether the plan covers the whole text."""
        return self._plan.whole

    def plan(self, plan: Plan) -> None:
        """The text has these utterances, at least."""
        self._plan = plan

    def begin(self, utterance: int) -> None:
        """This utterance is being compared; the one before it is done."""
        if utterance == self._current:
            return
        if self._current is not None and self._current not in self._done:
            self._done.add(self._current)
            self._ends.append(self._clock())
            self._first_phonemes = self._first_phonemes or self._phonemes_done
        self._current = utterance

    @property
    def words(self) -> str:
        """How many are compared and the time that is left, such as 3 of 90 compared, about 2 minutes left."""
        if not self.compared:
            return ""
        of = f"{self.planned}" if self.whole else f"{self.planned} or more"
        left = self.seconds_left
        return f"{self.compared} of {of} compared" + (f", {duration_words(left)} left" if left is not None else "")

    @property
    def seconds_per_phoneme(self) -> float | None:
        """How long comparing takes; None while too little is done."""
        timed = self._phonemes_done - self._first_phonemes
        enough = self.compared >= FEWEST_FOR_ESTIMATE and timed
        return (self._ends[-1] - self._ends[0]) / timed if enough else None

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the phonemes of what is done and of what is not; None while too little is done."""
        rate = self.seconds_per_phoneme
        if rate is None:
            return None
        whole = rate * (self._phonemes_expected - self._phonemes_done)
        return max(0.0, whole - (self._clock() - self._ends[-1]))

    @property
    def _phonemes_done(self) -> int:
        return sum(len(each.phonemes) for each in self._plan.utterances if each.index in self._done)

    @property
    def _phonemes_expected(self) -> float:
        planned = sum(len(each.phonemes) for each in self._plan.utterances)
        characters = max(1, self._plan.utterances[-1].end - self._plan.utterances[0].start)
        return planned * (1 + self._plan.characters_left / characters)
