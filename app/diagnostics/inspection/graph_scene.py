"""A laid-out graph as items to draw, made a few at a time so that the window is never held up."""

from __future__ import annotations

import time
from collections.abc import Iterable

from PySide6.QtCore import QObject, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsPathItem, QGraphicsScene

from app.diagnostics.colours import error_table
from app.diagnostics.inspection.folding import FoldedGraph
from app.diagnostics.inspection.graph_items import FOLD_PIXELS, ROUNDING_PIXELS, BoxItem, edge_heads, edge_lines
from app.diagnostics.inspection.graph_looks import box_look, error_fills, measurement_of
from app.diagnostics.inspection.inspection import StageInspection
from app.diagnostics.inspection.layout import Drawing, Layout
from app.theme import Colours
from engine.inspection.results import KernelMeasurement

MARGIN_PIXELS = 24.0
RING_PIXELS = 5.0
EDGE_PIXELS, NEAR_EDGE_PIXELS = 1.0, 2.5
AT_ONCE = 4
"""The boxes that are made or coloured between two looks at the clock."""


class GraphScene(QGraphicsScene):
    """Boxes and edges of a graph; `build` until it says that all boxes are there."""

    def __init__(
        self,
        folded: FoldedGraph,
        drawing: Drawing,
        layout: Layout,
        known: StageInspection,
        font: QFont,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.folded = folded
        self.layout_ = layout
        self.known = known
        self.boxes: list[BoxItem] = []
        self._drawing = drawing
        self._font = font
        self._colours: Colours | None = None
        self._shown: dict[int, KernelMeasurement | None] = {}
        self._near_lines, self._near_heads = QGraphicsPathItem(), QGraphicsPathItem()
        self._lines, self._heads, self._ring = QGraphicsPathItem(), QGraphicsPathItem(), QGraphicsPathItem()
        self._lines.setPath(edge_lines(layout, range(len(layout.routes))))
        self._heads.setPath(edge_heads(layout, range(len(layout.routes))))
        for item in (self._lines, self._heads, self._near_lines, self._near_heads, self._ring):
            self.addItem(item)
        margin = MARGIN_PIXELS
        self.setSceneRect(QRectF(-margin, -margin, layout.width + 2 * margin, layout.height + 2 * margin))

    def build(self, colours: Colours, seconds: float) -> bool:
        """Make boxes for this long; returns whether all are there."""
        until = time.perf_counter() + seconds
        while len(self.boxes) < len(self.folded.boxes):
            start = len(self.boxes)
            placed = list(zip(self.layout_.centres, self._drawing.sizes, strict=True))[start : start + AT_ONCE]
            for number, (centre, size) in enumerate(placed, start):
                item = BoxItem(number, centre, QSizeF(*size), self._font)
                self.boxes.append(item)
                self.addItem(item)
            self._colours = colours
            self._show(range(start, len(self.boxes)), colours)
            if time.perf_counter() > until:
                break
        return len(self.boxes) == len(self.folded.boxes)

    def show_states(self, colours: Colours) -> None:
        """Draw those boxes anew whose measurements have changed."""
        self._show(range(len(self.boxes)), colours)

    def _show(self, numbers: Iterable[int], colours: Colours) -> None:
        changed = []
        for number in numbers:
            measurement = measurement_of(self.folded.boxes[number], self.known)
            if number not in self._shown or self._shown[number] is not measurement:
                self._shown[number] = measurement
                changed.append(number)
        fills = error_fills([self._shown[number] for number in changed], colours, error_table(colours))
        for number, fill in zip(changed, fills, strict=True):
            look = box_look(self.folded.boxes[number], self.known, colours, fill)
            self.boxes[number].show_look(look)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        for lines, heads, colour, width in (
            (self._lines, self._heads, colours.faint, EDGE_PIXELS),
            (self._near_lines, self._near_heads, colours.accent, NEAR_EDGE_PIXELS),
        ):
            lines.setPen(QPen(QColor(colour), width))
            heads.setPen(QPen(Qt.PenStyle.NoPen))
            heads.setBrush(QColor(colour))
        self._ring.setPen(QPen(QColor(colours.accent), NEAR_EDGE_PIXELS))
        if colours != self._colours:
            self._colours = colours
            self._shown.clear()
            self.show_states(colours)

    def mark(self, number: int | None) -> QRectF:
        """Put a ring round a box, and draw its edges bolder; returns where that is."""
        near = [] if number is None else [at for at, pair in enumerate(self.folded.edges) if number in pair]
        self._near_lines.setPath(edge_lines(self.layout_, near))
        self._near_heads.setPath(edge_heads(self.layout_, near))
        ring, area = QPainterPath(), QRectF()
        if number is not None:
            beside = RING_PIXELS + (FOLD_PIXELS if self.folded.boxes[number].folded else 0)
            area = self.boxes[number].area.adjusted(-RING_PIXELS, -RING_PIXELS, beside, beside)
            ring.addRoundedRect(area, ROUNDING_PIXELS + RING_PIXELS, ROUNDING_PIXELS + RING_PIXELS)
        self._ring.setPath(ring)
        return area
