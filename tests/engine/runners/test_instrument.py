"""What is seen of the calls of a stage's kernels."""

from __future__ import annotations

import itertools

import numpy as np

from engine.errors import EngineError
from engine.runners.instrument import Instrument, SeenCall

RESULT = np.arange(3)


class Tensor:
    shape = (3,)


def seen_by(calls: list[str], observe=None) -> tuple[list[SeenCall], Instrument]:
    seen: list[SeenCall] = []
    clock = itertools.count().__next__
    instrument = Instrument({"conv1d"}, observe or seen.append, lambda _: RESULT, clock)
    for name in calls:
        for before in (True, False):
            assert instrument(None, name, before, None, Tensor(), 7) == 0
    return seen, instrument


def test_calls_of_the_kernels_are_seen_with_their_arguments_and_time() -> None:
    ((first, second), _) = seen_by(["vm.builtin.reshape", "conv1d", "conv1d"])
    assert first.kernel == second.kernel == "conv1d"
    assert first.arguments[0] is RESULT
    assert first.arguments[1:] == (7,)
    assert first.seconds == second.seconds == 1


def test_after_an_error_nothing_more_is_seen() -> None:
    calls: list[SeenCall] = []

    def fail(seen: SeenCall) -> None:
        calls.append(seen)
        raise EngineError("It was stopped.")

    _, instrument = seen_by(["conv1d", "conv1d"], fail)
    assert len(calls) == 1
    assert str(instrument.failure) == "It was stopped."
