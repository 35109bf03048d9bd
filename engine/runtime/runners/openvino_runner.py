"""Runs stages in OpenVINO on the CPU, from ONNX files of one stage each; the package openvino is optional."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.runtime.runners.base import named_outputs
from engine.speech import Array
from engine.stages import Stage
from engine.system.imports import hidden_module

_DEVICE = "CPU"
_TELEMETRY = "openvino_telemetry"
_PRECISION, _THREADS, _HINT = "INFERENCE_PRECISION_HINT", "INFERENCE_NUM_THREADS", "PERFORMANCE_HINT"
_FLOAT32, _BFLOAT16, _LATENCY = "f32", "bf16", "LATENCY"
FLOAT32_STAGES = frozenset({"source"})
"""Stages that stay in float32 when the others compute in bfloat16: the source sums phases up to thousands of cycles. In
bfloat16, the error of its spectrum is 41 % of the largest value."""


class OpenVinoRunner:
    """Runs the stages in the files `STAGE.onnx` of `folder`, compiled once for any length, on `threads` threads.

    The precision is set because OpenVINO's default is bfloat16 on CPUs that support it.
    """

    def __init__(self, folder: Path, threads: int, bfloat16: bool = False) -> None:
        core = _core()
        self._stages = {}
        for name, path in _files(folder).items():
            precision = _BFLOAT16 if bfloat16 and name not in FLOAT32_STAGES else _FLOAT32
            self._stages[name] = core.compile_model(core.read_model(path), _DEVICE, _properties(threads, precision))

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`; the inputs are not checked."""
        return _run(self._stages[stage.name], stage, inputs)

    def close(self) -> None:
        """Release the compiled stages."""
        self._stages.clear()


class StaticOpenVinoRunner:
    """Runs the stages in the files `STAGE.onnx` of `folder`, compiled for one length at a time, in float32.

    Nothing is compiled before `compile_for`.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        self._core = _core()
        self._files = _files(folder)
        self._properties = _properties(threads, _FLOAT32)
        self._stages: dict[str, Any] = {}

    def compile_for(self, values: Mapping[str, Array]) -> None:
        """Compile every stage for the shapes of these arrays between the stages, by name, replacing earlier ones."""
        self._stages.clear()
        for name, path in self._files.items():
            model = self._core.read_model(path)
            model.reshape({port: list(values[_name(port, values)].shape) for port in model.inputs})
            self._stages[name] = self._core.compile_model(model, _DEVICE, self._properties)

    def run_stage(self, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """See `Runner.run_stage`; the inputs must have the shapes that the stages were compiled for."""
        return _run(self._stages[stage.name], stage, inputs)

    def close(self) -> None:
        """Release the compiled stages."""
        self._stages.clear()


def _core() -> Any:
    """Load OpenVINO without its telemetry, which would write into the home folder and report over the network.

    OpenVINO treats a telemetry package that cannot be imported as not installed.
    """
    with hidden_module(_TELEMETRY):
        import openvino
    return openvino.Core()


def _files(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*.onnx"))}


def _properties(threads: int, precision: str) -> dict[str, Any]:
    return {_THREADS: threads, _PRECISION: precision, _HINT: _LATENCY}


def _run(compiled: Any, stage: Stage, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Return the outputs, copied from OpenVINO's memory; the inputs are read in place."""
    given = {port: inputs[_name(port, inputs)] for port in compiled.inputs}
    values = compiled(given, share_inputs=True)
    return named_outputs(stage, [values[tensor.name] for tensor in stage.outputs])


def _name(port: Any, values: Mapping[str, Array]) -> str:
    """Return the name of an input among those of the arrays: OpenVINO may add names of operations that it removed."""
    return next(name for name in values if name in port.names)
