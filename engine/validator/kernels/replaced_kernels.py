"""Runs compiled stages of which something else computes a kernel or the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.errors import InvalidRequest
from engine.runners.base import Runner
from engine.speech import Array
from engine.stages import Stage
from engine.validator.data.kernel_request import Replacement, Substitute
from engine.validator.data.results import Regime

RunReplaced = Callable[[Stage, Mapping[str, Array], Mapping[str, bool]], dict[str, Array]]
"""Runs a stage whose kernels of these ids are computed in plain loops if True, in PyTorch if False."""


class ReplacedRunner:
    """Runs each stage as its replacement says, and every other as before.

    `whole` runs the stages that are replaced as a whole, `run_replaced` those with single kernels replaced.
    """

    def __init__(
        self, compiled: Runner, whole: Runner, run_replaced: RunReplaced, replacements: Sequence[Replacement]
    ) -> None:
        self._compiled = compiled
        self._whole = whole
        self._run_replaced = run_replaced
        self._replacements = replacements

    def run(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run`."""
        here = [one for one in self._replacements if one.stage == stage.name]
        if any(one.node is None for one in here):
            return self._whole.run(stage, inputs)
        if not here:
            return self._compiled.run(stage, inputs)
        plain = {one.node or "": one.substitute is Substitute.PLAIN_LOOPS for one in here}
        return self._run_replaced(stage, inputs, plain)

    def close(self) -> None:
        """Do nothing: the runners belong to their regimes."""


def replaced_name(replacements: Sequence[Replacement]) -> str:
    """The name of the regime with these replacements, like `compiled+decoder 007 conv1d=plain-loops`."""
    if not replacements:
        raise InvalidRequest("There is nothing to replace.", "Name a kernel or a stage.")
    words = (f"{one.stage}{f' {one.node}' if one.node else ''}={one.substitute}" for one in replacements)
    return "+".join([Regime.COMPILED, *words])
