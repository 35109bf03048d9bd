"""Runners that share a model's stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from engine.runners.joined import JoinedRunner
from engine.speech import Array
from engine.stages import Stage, stage_named


class Stand:
    """Stands in for a `CompiledRunner` that has so many kernels; tells what it was asked to run."""

    def __init__(self, number: float, kernel_count: int) -> None:
        self.number, self.kernel_count = number, kernel_count
        self.closed = 0

    def warm_up(self) -> Iterator[int]:
        yield from range(self.kernel_count + 1) if self.kernel_count else ()

    def run(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        return {stage.name: np.array([self.number])}

    def close(self) -> None:
        self.closed += 1


def joined(first: Stand, second: Stand) -> JoinedRunner:
    return JoinedRunner({"bert": first, "duration": second, "decoder": first})  # type: ignore[dict-item]


def test_each_stage_runs_with_its_runner() -> None:
    runner = joined(Stand(1, 0), Stand(2, 0))
    numbers = {name: runner.run(stage_named(name), {})[name][0] for name in ("bert", "duration", "decoder")}
    assert numbers == {"bert": 1, "duration": 2, "decoder": 1}


def test_all_kernels_are_warmed_up_and_counted() -> None:
    runner = joined(Stand(1, 3), Stand(2, 2))
    assert list(runner.warm_up()) == [0, 1, 2, 3, 3, 4, 5]
    assert runner.kernel_count == 5
    assert list(joined(Stand(1, 0), Stand(2, 0)).warm_up()) == []


def test_each_runner_is_closed_once() -> None:
    first, second = Stand(1, 0), Stand(2, 0)
    joined(first, second).close()
    assert (first.closed, second.closed) == (1, 1)
