"""Chooses the next utterance of a growing plan to compare: the one playing, those after it, then those before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.speech import Plan, PlanEvent, Utterance


@dataclass
class Listener:
    """The playback position while the text is compared, as a character; None until playback starts.

    One thread may set it while a different one reads it.
    """

    character: int | None = None


class UtteranceScheduler:
    """Yields each utterance of a text once; the playback position at each turn decides which one is next.

    The first plan is created immediately, the rest as needed; `observe` gets each of them. Raises the errors of
    planning.
    """

    def __init__(self, plans: Iterator[Plan], observe: Callable[[PlanEvent], None], listener: Listener) -> None:
        self._plans = plans
        self._observe = observe
        self._listener = listener
        self._plan = Plan(())
        self._taken: set[int] = set()
        self._plan_on()

    def __iter__(self) -> Iterator[Utterance]:
        while (utterance := self._next()) is not None:
            self._taken.add(utterance.index)
            yield utterance
            self._plan_on()

    def _next(self) -> Utterance | None:
        character = self._listener.character
        while not self._reaches(character) and self._plan_on():
            pass
        left = [each for each in self._plan.utterances if each.index not in self._taken]
        heard = (each for each in left if character is not None and each.end > character)
        return next(heard, left[0] if left else None)

    def _reaches(self, character: int | None) -> bool:
        """Return whether there is an utterance to compare, and the plan has the one that is playing."""
        planned = self._plan.utterances
        unheard = character is None or (planned and planned[-1].end > character)
        return bool(unheard) and len(self._taken) < len(planned)

    def _plan_on(self) -> bool:
        plan = next(self._plans, None)
        if plan is None:
            return False
        self._plan = plan
        self._observe(PlanEvent(plan))
        return True
