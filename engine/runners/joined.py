"""Several compiled runners that share a model's stages: each runs those of its own modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.runners.tvm_runner import CompiledRunner
from engine.speech import Array
from engine.stages import Stage


class JoinedRunner:
    """Runs each stage with its runner, and closes them all; `runners` are by the names of the stages."""

    def __init__(self, runners: Mapping[str, CompiledRunner]) -> None:
        self._of_stage = runners
        self._runners = tuple({id(runner): runner for runner in runners.values()}.values())

    @property
    def kernel_count(self) -> int:
        """See `CompiledRunner.kernel_count`."""
        return sum(runner.kernel_count for runner in self._runners)

    def warm_up(self) -> Iterator[int]:
        """See `CompiledRunner.warm_up`; one runner after the other."""
        before = 0
        for runner in self._runners:
            for done in runner.warm_up():
                yield before + done
            before += runner.kernel_count

    def run(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `CompiledRunner.run`."""
        return self._of_stage[stage.name].run(stage, inputs)

    def close(self) -> None:
        """Release all of them."""
        for runner in self._runners:
            runner.close()
