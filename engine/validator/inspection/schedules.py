"""Describes a kernel's computation, in words and as its loops, and how much more than PyTorch it may round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import tvm
from torch import fx
from tvm import tirx
from tvm.tirx import ForKind, PrimFunc
from tvm_ffi import structural_map, structural_walk

from engine.compiler.convolution_layers import ConvolutionLayer, workload_of
from engine.compiler.kernel_set import HAND_WRITTEN, KernelSet
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu.conv_choice import plan_for
from engine.compiler.kernels.metal.conv_choice import tile_for
from engine.compiler.kernels.winograd import Winograd
from engine.compiler.targets import METAL
from engine.compiler.traced_graph import operator_name, shape_of

_KINDS = {ForKind.PARALLEL: "parallel", ForKind.VECTORIZED: "vectorised", ForKind.UNROLLED: "unrolled"}


@dataclass(frozen=True)
class Algorithm:
    """The algorithm of a convolution: in words, and its Winograd F(m, r), None if it is direct."""

    words: str
    winograd: Winograd | None


def algorithm_of(node: fx.Node, kernels: KernelSet, target: tvm.target.Target) -> Algorithm | None:
    """Return the algorithm of an ungrouped convolution's node; None for any other node."""
    sizes = _workload(node)
    if sizes is None:
        return None
    traits: Any = kernels.target_traits
    plan: Any = tile_for(sizes, traits, traits.factors) if target.kind.name == METAL else plan_for(sizes, traits)
    winograd: Winograd | None = getattr(plan, "winograd", None)
    how = "direct" if winograd is None else f"Winograd {winograd}"
    tile = getattr(plan, "tile", None)
    return Algorithm(how if tile is None else f"{how}, tile {tile.rows} × {tile.columns}", winograd)


def amplification(winograd: Winograd | None) -> float:
    """Return the rounding error of a convolution by Winograd's F(m, r) over that of a direct one.

    Computed as the root mean square of the terms that add up to an output, over that of the output, for random samples
    and weights: terms larger than their sum are rounded as such.
    """
    if winograd is None:
        return 1.0
    matrices = (winograd.output_matrix, winograd.weight_matrix, winograd.input_matrix)
    outputs, weights, inputs = (np.array(matrix, np.float64) ** 2 for matrix in matrices)
    terms = outputs @ (weights.sum(axis=1) * inputs.sum(axis=1))
    return max(1.0, float(np.sqrt(terms.max() / winograd.taps)))


def describe_schedule(function: PrimFunc | None, algorithm: Algorithm | None) -> str:
    """Describe a kernel's computation: its algorithm if it is a convolution, and the kinds of its loops."""
    if function is None:
        return "a function outside of the module"
    kinds = {_KINDS[loop.kind] for loop in _loops(function) if loop.kind in _KINDS}
    written = function.attrs is not None and HAND_WRITTEN in function.attrs
    words = ["hand-written" if written else "fused loops", *([algorithm.words] if algorithm else [])]
    return "; ".join([*words, *([f"loops {', '.join(sorted(kinds))}"] if kinds else ["serial loops"])])


def plain_loops(function: PrimFunc) -> PrimFunc:
    """Return the function with every loop serial."""

    def serial(loop: Any) -> Any:
        return (
            tirx.For(loop.loop_var, loop.min, loop.extent, ForKind.SERIAL, loop.body) if loop.kind in _KINDS else loop
        )

    return function.with_body(structural_map(function.body, (tirx.For, serial)))


def _loops(function: PrimFunc) -> Iterator[Any]:
    found: list[Any] = []
    structural_walk(function.body, (tirx.For, found.append))
    yield from found


def _workload(node: fx.Node) -> ConvWorkload | None:
    is_transposed = operator_name(node) == "conv_transpose1d.default"
    if operator_name(node) not in ("conv1d.default", "conv_transpose1d.default") or _argument(node, 6, 1) != 1:
        return None
    weight: Any = node.args[1]
    one, other, kernel_size = map(int, shape_of(weight))
    return workload_of(
        ConvolutionLayer(
            channels=one if is_transposed else other,
            out_channels=other if is_transposed else one,
            kernel_size=kernel_size,
            stride=_argument(node, 3, 1),
            padding=_argument(node, 4, 0),
            dilation=1 if is_transposed else _argument(node, 5, 1),
            is_transposed=is_transposed,
            length=0,
        )
    )


def _argument(node: fx.Node, position: int, default: int) -> int:
    """Return a number, or the only one of a list; the default if the argument is left out."""
    given: Any = node.args[position] if len(node.args) > position else default
    return int(given[0] if isinstance(given, (list, tuple)) else given)
