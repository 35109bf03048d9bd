"""From a stage's PyTorch module to a Relax function with symbolic batch, tokens and frames.

Parameters become inputs of the function: their values never leave this module.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import tvm
from torch.export import Dim, ExportedProgram
from torch.export.graph_signature import InputKind
from tvm.relax.frontend import detach_params
from tvm.relax.frontend.torch import from_exported_program

from engine.compiler.artifacts.manifest import Parameter
from engine.compiler.converters import converters_for
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu.conv_choice import ConvAlgorithm
from engine.compiler.kernels.precision import Precision
from engine.compiler.passes import first_line
from engine.config import ModelConfig
from engine.errors import CompileError
from engine.network.exportable.probing import ProbedModule
from engine.network.ops.packed_lstm import LstmMethod
from engine.stages import Axis, Stage, Tensor

BATCH = "batch"
_EXAMPLE_BATCH = 2
_EXAMPLE_LENGTHS = {"tokens": 7, "frames": 11}
"""Any distinct lengths above 1 would do: torch.export takes 0 and 1 for constants."""


@dataclass(frozen=True)
class RelaxStage:
    """A stage as Relax: `main` takes the stage's inputs, then its parameters in the order of `parameters`."""

    module: tvm.IRModule
    parameters: tuple[Parameter, ...]


def export_stage(
    stage: Stage,
    module: torch.nn.Module,
    config: ModelConfig,
    target: tvm.target.Target,
    lstm_method: LstmMethod = LstmMethod.TIR,
    precision: Precision = Precision.FLOAT32,
    tuned: Sequence[tuple[ConvWorkload, ConvAlgorithm]] = (),
) -> RelaxStage:
    """Trace the module, whose `forward` takes the stage's inputs and returns its outputs in order, and translate it.

    The activations that a `ProbedModule` module notes follow the outputs. Raises `CompileError` if an operation in it
    cannot be translated.
    """
    program = trace(stage, module, config)
    return RelaxStage(translate(stage, program, target, lstm_method, precision, tuned), parameters_of(program))


def trace(stage: Stage, module: torch.nn.Module, config: ModelConfig) -> ExportedProgram:
    """The stage as a torch graph of whole operators (convolutions and linear layers stay whole).

    Raises `CompileError` if torch cannot trace it for every length.
    """
    shapes = dynamic_shapes(stage, config)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "`isinstance.treespec, LeafSpec.` is deprecated", FutureWarning
        )  # torch's own
        try:
            program: ExportedProgram = torch.export.export(
                module.eval(),
                example_inputs(stage, config),
                dynamic_shapes=(shapes,)
                if isinstance(module, ProbedModule)
                else shapes,  # it has one variadic parameter
                strict=False,
            )
        except (RuntimeError, ValueError, TypeError) as error:
            raise CompileError(f"Stage {stage.name} can’t be traced: {first_line(error)}") from error
    return program


def translate(
    stage: Stage,
    program: ExportedProgram,
    target: tvm.target.Target,
    lstm_method: LstmMethod = LstmMethod.TIR,
    precision: Precision = Precision.FLOAT32,
    tuned: Sequence[tuple[ConvWorkload, ConvAlgorithm]] = (),
) -> tvm.IRModule:
    """The torch graph as Relax, with hand-written kernels instead of heavy operators; raises `CompileError`."""
    unknown = sorted(name for name in _operators(program) if "rand" in name)
    if unknown:
        raise CompileError(f"Stage {stage.name} draws random numbers ({', '.join(unknown)}); noise must be an input.")
    try:
        module = from_exported_program(
            program,
            keep_params_as_input=True,
            custom_convert_map=converters_for(target, lstm_method, precision, tuned),
            run_ep_decomposition=False,
        )
    except AssertionError as error:
        raise CompileError(f"Stage {stage.name} can’t be translated: {error}") from error
    return detach_params(module)[0]


def example_inputs(stage: Stage, config: ModelConfig) -> tuple[torch.Tensor, ...]:
    """Zeros of the stage's inputs, at lengths that stand for any other."""
    return tuple(
        torch.zeros(tensor.shape(config, _EXAMPLE_BATCH, _EXAMPLE_LENGTHS), dtype=getattr(torch, tensor.dtype))
        for tensor in stage.inputs
    )


def dynamic_shapes(stage: Stage, config: ModelConfig) -> tuple[dict[int, object], ...]:
    """The symbolic axes of the stage's inputs and how they depend on each other, for torch.export.

    They have no upper bound, for which TVM would reserve memory.
    """
    batch = Dim(BATCH, min=1)
    plain = {axis.name for tensor in stage.inputs for axis in _symbolic(tensor).values() if _is_plain(axis, config)}
    return tuple(
        {0: batch, **{position: _dimension(axis, config, plain) for position, axis in _symbolic(tensor).items()}}
        for tensor in stage.inputs
    )


def parameters_of(program: ExportedProgram) -> tuple[Parameter, ...]:
    """The parameters in the order in which the Relax function takes them."""
    return tuple(
        _parameter(spec.target, program.state_dict[spec.target])
        for spec in program.graph_signature.input_specs
        if spec.kind is InputKind.PARAMETER
    )


def _symbolic(tensor: Tensor) -> dict[int, Axis]:
    return {position: axis for position, axis in enumerate(tensor.axes, start=1) if isinstance(axis, Axis)}


def _is_plain(axis: Axis, config: ModelConfig) -> bool:
    return axis.factor(config) == 1 and axis.plus == 0


def _dimension(axis: Axis, config: ModelConfig, plain: set[str]) -> object:
    """A length or an expression of it; a separate symbol if no input has the plain length as an axis.

    TVM reads a length off an axis, but does not solve an equation for it.
    """
    factor, plus = axis.factor(config), axis.plus
    if axis.name in plain:
        return factor * Dim(axis.name, min=1) + plus if not _is_plain(axis, config) else Dim(axis.name, min=1)
    return Dim(f"{axis.name}_{factor}_{plus}", min=factor + plus)


def _parameter(name: str, value: torch.Tensor) -> Parameter:
    return Parameter(name, tuple(value.shape), str(value.dtype).removeprefix("torch."))


def _operators(program: ExportedProgram) -> set[str]:
    return {node.target.__name__ for node in program.graph.nodes if node.op == "call_function"}
