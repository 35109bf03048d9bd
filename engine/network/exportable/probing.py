"""Inner values of the stages, noted while they run under the paths of kokoro's modules that return them.

A stage passes every such value through `noted`, which gives it back as it is; only inside `noting` is it kept, so a
graph traced anywhere else is the same as if nobody ever looked. It does not know what a value means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from torch import Tensor, nn

from engine.stages import Stage

_notes: ContextVar[dict[str, Tensor] | None] = ContextVar("notes", default=None)


def noted(path: str, value: Tensor) -> Tensor:
    """The value itself, which is what kokoro's module at `path` returns, batch first.

    Beyond a sequence's length it may hold anything finite.
    """
    notes = _notes.get()
    if notes is not None:
        notes[path] = value
    return value


@contextmanager
def noting() -> Iterator[dict[str, Tensor]]:
    """Keep what this thread notes while the context lasts: values by path."""
    notes: dict[str, Tensor] = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


class Probed(nn.Module):
    """A stage that returns the noted values of `paths`, in this order, after its declared outputs.

    It holds the stage's own children, so parameters keep their names. Raises `KeyError` when it runs and the stage
    notes nothing under one of the paths.
    """

    def __init__(self, stage: nn.Module, paths: Sequence[str]) -> None:
        super().__init__()
        for name, child in stage.named_children():
            self.add_module(name, child)
        self.paths = tuple(paths)
        self._outputs = stage.forward

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        """The declared outputs from the declared inputs, then the noted values."""
        with noting() as notes:
            outputs = self._outputs(*inputs)
        return (*outputs, *(notes[path] for path in self.paths))


def probe_paths(network: nn.Module, stage: Stage) -> tuple[str, ...]:
    """The paths of the network's modules that the stage declares as probes and compiled code can show."""
    shown = [probe for probe in stage.probes if not probe.fused]
    return tuple(path for path, _ in network.named_modules() if any(probe.matches(path) for probe in shown))
