"""The plain data of an inspection: a stage's graph, and the error, time and code of each kernel in it.

Nothing here needs PyTorch or TVM.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NodeKind(StrEnum):
    """The kind of a node of a stage's graph."""

    INPUT = "input"
    """An input of the stage."""
    KERNEL = "kernel"
    """One call of a kernel."""
    OUTPUT = "output"
    """An output of the stage."""


@dataclass(frozen=True)
class SourceLine:
    """A line of Python that created a node: the file relative to the program, the line's number from 1, its text."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class GraphNode:
    """A kernel's call, an input or an output of a stage.

    `id` is unique in the stage and the same in every run of the same build. `operators` are the PyTorch operators that
    the call computes, in order, as in `("conv1d", "add", "mul")`. `module_path` leads to Kokoro's module whose weights
    or lines it computes, empty if there is none. `source` holds the Python lines, the innermost first. `shape` is that
    of the result at the inspected lengths. `kernel` names the function in the module, `schedule` describes its
    algorithm and loops. `operations` are those that the mathematics needs, None if unknown; `bytes` those of its
    arguments and results. Inputs and outputs have neither kernel, source nor figures.
    """

    id: str
    kind: NodeKind
    label: str
    shape: tuple[int, ...]
    dtype: str
    kernel: str = ""
    operators: tuple[str, ...] = ()
    module_path: str = ""
    source: tuple[SourceLine, ...] = ()
    schedule: str = ""
    operations: int | None = None
    bytes: int = 0


@dataclass(frozen=True)
class Edge:
    """A node's result that a different node reads; both are ids."""

    source: str
    target: str


@dataclass(frozen=True)
class InspectedGraph:
    """A stage as it is computed: inputs first, then kernels in the order of their calls, then outputs.

    Weights are left out.
    """

    stage: str
    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]


class KernelVerdict(StrEnum):
    """The verdict of a kernel's own error."""

    RIGHT = "right"
    IMPRECISE = "imprecise"
    """The kernel rounds far more than PyTorch's float32 does."""
    WRONG = "wrong"
    UNKNOWN = "unknown"
    """PyTorch has no value that corresponds to the result."""


@dataclass(frozen=True)
class WrongValue:
    """The first wrong value of a result: its index in the array, ours, and the expected one.

    A value that is not finite is None.
    """

    index: tuple[int, ...]
    ours: float | None
    expected: float | None


@dataclass(frozen=True)
class KernelMeasurement:
    """One kernel's call, compared with PyTorch in float64 on the exact inputs of the call.

    So it measures the kernel's own error, not its inherited error. Errors are over the valid lengths only. `floor` is
    the relative error of PyTorch's float32 on the same inputs, never less than float32 resolves; `times_floor` is ours
    over it. All are None if the verdict is unknown, or a value is not finite. `seconds` is the least of several calls.
    """

    stage: str
    node: str
    verdict: KernelVerdict
    seconds: float
    relative_l2: float | None = None
    max_abs: float | None = None
    floor: float | None = None
    times_floor: float | None = None
    finite_percent: float = 100.0
    first_wrong: WrongValue | None = None


@dataclass(frozen=True)
class KernelCode:
    """A kernel of a stage's module as TIR, by the name that its nodes have."""

    stage: str
    kernel: str
    tir: str


@dataclass(frozen=True)
class KernelFinding:
    """A kernel's call that is itself wrong, with an explanation in a sentence."""

    stage: str
    node: str
    kernel: str
    words: str


@dataclass(frozen=True)
class GraphEvent:
    """A stage's graph is known; its kernels follow."""

    graph: InspectedGraph


@dataclass(frozen=True)
class KernelEvent:
    """A kernel's call is measured."""

    measurement: KernelMeasurement


@dataclass(frozen=True)
class CodeEvent:
    """A kernel's code, after all measurements of its stage."""

    code: KernelCode


@dataclass(frozen=True)
class InspectedEvent:
    """A stage is inspected: its wrong kernels, the first called first; empty if every kernel is right."""

    stage: str
    findings: tuple[KernelFinding, ...]


@dataclass(frozen=True)
class KernelsEvent:
    """All stages are inspected: the wrong kernels of all."""

    findings: tuple[KernelFinding, ...]


InspectionEvent = GraphEvent | KernelEvent | CodeEvent | InspectedEvent | KernelsEvent
