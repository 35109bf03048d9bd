"""How boxes look: filled by their error, framed by their verdict, which their text says as well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.diagnostics.colours import Table, error_positions, steps_of
from app.diagnostics.inspection.folding import Box
from app.diagnostics.inspection.graph_items import BoxLook
from app.diagnostics.inspection.inspection import StageInspection
from app.diagnostics.inspection.words import box_title, box_words, folded_words, verdict_colour
from app.theme import Colours
from engine.inspection.results import KernelMeasurement, KernelVerdict, NodeKind

_STROKES = {
    KernelVerdict.RIGHT: (1.0, Qt.PenStyle.SolidLine),
    KernelVerdict.IMPRECISE: (2.0, Qt.PenStyle.DashLine),
    KernelVerdict.WRONG: (3.0, Qt.PenStyle.SolidLine),
    KernelVerdict.UNKNOWN: (1.0, Qt.PenStyle.DotLine),
}
FOLDED_SIGN = "▸ "
WIDEST_STATE = "✗ 8.8e888 × floor"


def box_lines(box: Box, known: StageInspection) -> tuple[str, ...]:
    """The text of a box: its name, the module where that is not its name, its state."""
    node = known.node(box.nodes[0])
    title, state = box_title(box, known), box_words(box, known)
    if box.folded:
        return f"{FOLDED_SIGN}{title}", state
    if node is None or node.kind is not NodeKind.KERNEL or not node.module_path:
        return title, state
    return title, node.module_path, state


def widest_lines(box: Box, known: StageInspection) -> tuple[str, ...]:
    """The text of a box in its widest state, so that it keeps its size when measurements come in."""
    words = f"{folded_words(box)}{WIDEST_STATE}"
    return (*box_lines(box, known)[:-1], words)


def measurement_of(box: Box, known: StageInspection) -> KernelMeasurement | None:
    """The worst measurement in a box; None while there is none."""
    return known.measurements.get(known.worst(box.nodes) or "")


def box_look(box: Box, known: StageInspection, colours: Colours, fill: str) -> BoxLook:
    """The look of a box that is filled with this colour."""
    measurement, lines = measurement_of(box, known), box_lines(box, known)
    if measurement is None:
        return BoxLook(lines, fill, colours.faint, 1.0, Qt.PenStyle.DotLine, box.folded)
    width, style = _STROKES[measurement.verdict]
    right = measurement.verdict is KernelVerdict.RIGHT
    border = colours.faint if right else verdict_colour(measurement.verdict, colours)
    return BoxLook(lines, fill, border, width, style, box.folded)


def error_fills(measurements: Sequence[KernelMeasurement | None], colours: Colours, table: Table) -> tuple[str, ...]:
    """The colours of relative errors, on the scale of all errors of the panel; the surface's where there is none."""
    errors = np.array([np.nan if each is None else error_of(each) for each in measurements])
    steps = steps_of(error_positions(errors)).tolist()
    plain = (None, KernelVerdict.UNKNOWN)
    return tuple(
        colours.surface if (each and each.verdict) in plain else QColor(*table[step].tolist()).name()
        for each, step in zip(measurements, steps, strict=True)
    )


def error_of(measurement: KernelMeasurement) -> float:
    """A measurement's relative error; NaN where values are not finite."""
    return float("nan") if measurement.relative_l2 is None else measurement.relative_l2
