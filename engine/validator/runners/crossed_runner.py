"""A runner that has some stages run by others."""

from __future__ import annotations

from collections.abc import Mapping

from engine.runners.base import Runner
from engine.speech import Array
from engine.stages import Stage


class CrossedRunner:
    """Runs some stages with other runners than the rest."""

    def __init__(self, stages: Mapping[str, Runner], rest: Runner) -> None:
        self._stages = stages
        self._rest = rest

    def run(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run`."""
        return self._stages.get(stage.name, self._rest).run(stage, inputs)

    def close(self) -> None:
        """Do nothing: the runners belong to their regimes."""
