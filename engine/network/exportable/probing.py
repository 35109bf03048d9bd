"""Activations inside the stages, noted under the paths of kokoro's modules that return them.

A stage passes every such value through `noted`, which returns it unchanged; only inside `noting` is it stored, so
probing does not change a graph that is traced anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from torch import Tensor, nn

from engine.stages import Stage

_notes: ContextVar[dict[str, Tensor] | None] = ContextVar("notes", default=None)


def noted(path: str, value: Tensor) -> Tensor:
    """Return `value`, which is what kokoro's module at `path` returns, batch first; keep it inside `noting`.

    Beyond a sequence's length it is finite but arbitrary.
    """
    notes = _notes.get()
    if notes is not None:
        notes[path] = value
    return value


@contextmanager
def noting() -> Iterator[dict[str, Tensor]]:
    """Keep the values that this thread notes while the context lasts, by path."""
    notes: dict[str, Tensor] = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


class ProbedModule(nn.Module):
    """A stage that returns the noted values of `paths`, in this order, after its declared outputs.

    It has the stage's own children, so parameters keep their names. `forward` raises `KeyError` when the stage notes
    nothing under one of the paths.
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
    """The paths of the network's modules that the stage declares as probes and compiled code can return."""
    shown = [probe for probe in stage.probes if not probe.fused]
    return tuple(path for path, _ in network.named_modules() if any(probe.matches(path) for probe in shown))
