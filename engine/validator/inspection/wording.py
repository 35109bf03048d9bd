"""What was found about a kernel, in a sentence."""

from __future__ import annotations

from engine.validator.inspection.results import GraphNode, KernelMeasurement, KernelVerdict, WrongValue


def finding_words(node: GraphNode, measured: KernelMeasurement) -> str:
    """Which kernel is not right, where its line is, and how far off it is."""
    return f"{node.kernel} ({_what(node)}) {_how(measured)}{_first(measured.first_wrong)}."


def _what(node: GraphNode) -> str:
    place = f" in {node.module_path}" if node.module_path else ""
    line = f", {node.source[0].file}:{node.source[0].line}" if node.source else ""
    return f"{node.label}{place}{line}"


def _how(measured: KernelMeasurement) -> str:
    if measured.times_floor is None:
        return f"gives values that are not finite ({100 - measured.finite_percent:.3g} %) from finite inputs"
    what = "is itself wrong" if measured.verdict is KernelVerdict.WRONG else "rounds too much"
    relative, times = measured.relative_l2, measured.times_floor
    return f"{what}: on its own inputs its relative error is {relative:.2g}, {times:.3g} times what rounding explains"


def _first(wrong: WrongValue | None) -> str:
    if wrong is None:
        return ""
    ours, expected = ("not finite" if one is None else f"{one:.6g}" for one in (wrong.ours, wrong.expected))
    return f"; the first wrong value, at {list(wrong.index)}, is {ours} instead of {expected}"
