"""A stage as Relax, with the source of each variable (a torch node) and of each node (lines of Python)."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
import tvm
from torch import fx
from torch.export import ExportedProgram
from torch.fx.proxy import TracerBase
from tvm import relax
from tvm.relax.frontend import detach_params
from tvm.relax.frontend.torch import from_exported_program
from tvm.target import Target

from engine.compiler.converters import Converter, converters_for
from engine.compiler.export import trace
from engine.compiler.kernels.precision import Precision
from engine.compiler.traced_graph import operator_name
from engine.config import ModelConfig
from engine.network.ops.packed_lstm import LstmMethod
from engine.stages import Stage
from engine.system.paths import project_folder
from engine.validator.inspection.results import SourceLine

_MAIN = "main"


@dataclass(frozen=True)
class TranslatedStage:
    """A traced stage and its Relax module, before any pass.

    Both dictionaries go by the names of Relax variables, which the passes before fusion preserve: `results` holds the
    torch node whose value a variable is, `makers` the torch node whose translation created a variable.
    """

    program: ExportedProgram
    module: tvm.IRModule
    results: Mapping[str, fx.Node]
    makers: Mapping[str, fx.Node]


def translated(
    stage: Stage, module: torch.nn.Module, config: ModelConfig, target: Target, method: LstmMethod, precision: Precision
) -> TranslatedStage:
    """Translate the stage as for building it; raises `CompileError`."""
    with lines_kept():
        program = trace(stage, module, config)
    recorder = _Recorder(converters_for(target, method, precision))
    names = {operator_name(node) for node in program.graph.nodes if node.op == "call_function"}
    imported = from_exported_program(
        program,
        keep_params_as_input=True,
        custom_convert_map={name: recorder.converter(name) for name in names},
        run_ep_decomposition=False,
    )
    relax_module = detach_params(imported)[0]
    return TranslatedStage(program, relax_module, recorder.results, _makers(relax_module, recorder))


class _Recorder:
    """Converters that also record the variable that each torch node became."""

    def __init__(self, converters: Mapping[str, Converter]) -> None:
        self.results: dict[str, fx.Node] = {}
        self._converters = converters
        self._of_tvm: Mapping[str, Callable[[fx.Node], relax.Expr]] = {}

    def converter(self, name: str) -> Converter:
        """Return the converter of this operator, ours or TVM's, that records its result."""

        def convert(node: fx.Node, importer: Any) -> relax.Expr:
            own = self._converters.get(name)
            result = self._imported(name, node, importer) if own is None else own(node, importer)
            if isinstance(result, relax.Var):
                self.results.setdefault(result.name, node)
            return result

        return convert

    def _imported(self, name: str, node: fx.Node, importer: Any) -> relax.Expr:
        if not self._of_tvm:
            self._of_tvm = importer.create_convert_map()
        return self._of_tvm[name](node)


def _makers(module: tvm.IRModule, recorder: _Recorder) -> dict[str, fx.Node]:
    """Return the torch node of every variable; variables are in the order of the nodes, each node's result last."""
    waiting: list[str] = []
    makers: dict[str, fx.Node] = {}
    for binding in (binding for block in module[_MAIN].body.blocks for binding in block.bindings):
        waiting.append(binding.var.name)
        if binding.var.name in recorder.results:
            makers |= dict.fromkeys(waiting, recorder.results[binding.var.name])
            waiting = []
    return makers


_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in \S+\n\s*(?P<text>[^\n]*)')
_OURS = "engine/network/exportable"
"""The folder of a stage's own lines, as opposed to those of PyTorch below them."""


@contextmanager
def lines_kept() -> Iterator[None]:
    """Make torch record every line of ours on the way to a node while a stage is traced.

    By itself it records only those of modules' `forward`, not those of the functions that they call.
    """
    with patch.object(TracerBase, "_filter_traceback_frames", _our_frames):
        yield


def source_of(node: fx.Node) -> tuple[SourceLine, ...]:
    """Return the lines that created a node, the innermost first."""
    found = _FRAME.finditer(node.meta.get("stack_trace") or "")
    lines = (SourceLine(_relative(one["file"]), int(one["line"]), one["text"].strip()) for one in found)
    return tuple(line for line in lines if _OURS in line.file)[::-1]


def _our_frames(tracer: TracerBase, frames: traceback.StackSummary) -> traceback.StackSummary:
    return traceback.StackSummary.from_list([frame for frame in frames if _OURS in Path(frame.filename).as_posix()])


def _relative(file: str) -> str:
    path = Path(file)
    return path.relative_to(project_folder()).as_posix() if path.is_relative_to(project_folder()) else path.name
