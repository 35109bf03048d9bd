"""Runs a compiled stage with substitutes for some of its kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tvm

from engine.compiler.targets import METAL
from engine.errors import InvalidRequest
from engine.runtime.runners.tvm_runner import CompiledRunner, SeenCall
from engine.speech import Array
from engine.stages import Stage
from engine.validator.inspection.graph_picture import call_id
from engine.validator.inspection.inspector import KernelInspector, StageInputs
from engine.validator.inspection.schedules import plain_loops

Compute = Callable[[Sequence[Any]], None]
"""Fills the last of a call's arguments with its result."""
_MAIN = "main"


class KernelSubstitution:
    """Runs stages of the modules that `inspector` knows, on the CPU."""

    def __init__(self, inspector: KernelInspector, runner: CompiledRunner) -> None:
        self._inspector = inspector
        self._runner = runner
        self._built: dict[tuple[str, str], Any] = {}

    def run_replaced(self, stage: Stage, inputs: StageInputs, replaced: Mapping[str, bool]) -> dict[str, Array]:
        """Return the outputs of a stage in which the calls of these ids are replaced.

        True stands for the kernel's own loops without their schedule, False for PyTorch in float64. Raises
        `InvalidRequest` for an id that the stage does not have, or a result that cannot be computed that way.
        """
        computing = self._computing(stage, inputs, replaced)

        def on_call(index: int, seen: SeenCall) -> None:
            if index in computing:
                computing[index](seen.arguments)

        return self._inspector.watched(stage, self._runner, inputs.arrays, on_call)

    def _computing(self, stage: Stage, inputs: StageInputs, replaced: Mapping[str, bool]) -> dict[int, Compute]:
        if self._inspector.target.kind.name == METAL:
            raise InvalidRequest("Kernels can be replaced on the CPU only.", "Choose the CPU as the device.")
        calls = self._inspector.kernels(stage).graph.calls
        places = {call_id(index, call): index for index, call in enumerate(calls)}
        for name in replaced:
            if name not in places:
                raise InvalidRequest(f"Stage {stage.name} has no kernel “{name}”.", "Choose one of its graph.")
        return {
            places[name]: self._plain(stage, places[name]) if plain else self._in_pytorch(stage, inputs, places[name])
            for name, plain in replaced.items()
        }

    def _plain(self, stage: Stage, index: int) -> Compute:
        graph = self._inspector.kernels(stage).graph
        name = graph.calls[index].kernel
        if name not in graph.plain:
            raise InvalidRequest(f"{name} isn’t a kernel of the module.", "Compute it in PyTorch.")
        key = stage.name, name
        if key not in self._built:
            module = tvm.IRModule({_MAIN: plain_loops(graph.plain[name]).with_attr("global_symbol", _MAIN)})
            self._built[key] = tvm.compile(module, target=self._inspector.target)[_MAIN]
        run = self._built[key]
        return lambda arguments: run(*(_argument(one) for one in arguments))

    def _in_pytorch(self, stage: Stage, inputs: StageInputs, index: int) -> Compute:
        check = self._inspector.check(stage, inputs)
        kernel = self._inspector.kernels(stage).graph.calls[index].kernel

        def compute(arguments: Sequence[Any]) -> None:
            expected = check.expected(index, arguments)
            if expected is None:
                raise InvalidRequest(
                    f"PyTorch has no value for the result of {kernel}.",
                    "Choose a different kernel, or the whole stage.",
                )
            np.copyto(arguments[-1], expected.reshape(arguments[-1].shape), casting="same_kind")

        return compute


def _argument(one: Any) -> Any:
    return tvm.runtime.from_dlpack(one) if isinstance(one, np.ndarray) else one
