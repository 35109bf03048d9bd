"""Kernels as assembly for CPUs other than this one, for tests of the instructions in their inner loops."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tvm
from tvm.target import Target
from tvm.tirx import PrimFunc

HASWELL = Target({"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "haswell"})
"""A CPU with AVX2."""
_VECTORS = re.compile(r"\bfmla\s+v\d+\.4s|\bfmla\.4s\s|\bvfmadd\d+ps\b.*%[yz]mm")
_STORES = re.compile(r"\bst[pr]\s+q\d|\bst1\b|\bvmov\w+\s+%[yz]mm\d+, .*\(")
_DEBUG_LABEL = re.compile(r"\.?Ltmp\d+:")
_SCALARS = re.compile(r"\bfn?madd\s+[sd]\d|\bvfn?madd\d+s[sd]\b")


def assembly(function: PrimFunc, target: Target) -> list[str]:
    """The lines of a kernel, without comments and the labels that are for debuggers alone."""
    module = tvm.compile(tvm.IRModule({"main": function}), target=target).mod
    text = next(part for part in (module, *module.imports) if part.kind == "llvm").inspect_source("asm")
    lines = [line.split("#")[0].split(";")[0].rstrip() for line in text.splitlines()]
    return [line for line in lines if not _DEBUG_LABEL.fullmatch(line)]


def longest_run(lines: list[str]) -> int:
    """Multiply-adds of whole vectors in the longest stretch without a label or a use of the stack.

    Fails where single values are multiplied and added.
    """
    assert not any(_SCALARS.search(line) for line in lines)
    counts = [0]
    for line in lines:
        if line.endswith(":") or "sp)" in line or "[sp" in line:
            counts.append(0)
        counts[-1] += bool(_VECTORS.search(line))
    return max(counts)


def stores_beside(lines: list[str], sums: int) -> int:
    """Vectors stored in an innermost loop of at least `sums` multiply-adds, at most; fails if there is no such loop."""
    return max(_count(_STORES, loop) for loop in _innermost_loops(lines) if _count(_VECTORS, loop) >= sums)


def _count(pattern: re.Pattern[str], lines: list[str]) -> int:
    return sum(bool(pattern.search(line)) for line in lines)


def _innermost_loops(lines: list[str]) -> Iterator[list[str]]:
    """The code between a label and a jump to it, without any label in between."""
    label, begin = "", 0
    for index, line in enumerate(lines):
        if line.endswith(":"):
            label, begin = line[:-1], index + 1
        elif label and line.split()[-1:] == [label]:
            yield lines[begin:index]
