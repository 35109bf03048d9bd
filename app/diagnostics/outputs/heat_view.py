"""Heat maps of the same time span, one below the other."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph
from PySide6.QtCore import QRectF
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.diagnostics.colours import Table, coloured, error_table, ours_table, reference_table, value_table
from app.diagnostics.outputs.pictures import HeatPicture, Scale
from app.diagnostics.outputs.time_pane import PaneStack, TimePane
from app.theme import LIGHT, Colours

LINE_PIXELS = 13
PANE_NAMES = ("Ours", "Reference", "Difference")
_TABLES = {
    Scale.VALUES: value_table,
    Scale.ERRORS: error_table,
    Scale.OURS: ours_table,
    Scale.REFERENCE: reference_table,
}


class HeatView(PaneStack):
    """Ours, the reference, the difference."""

    def __init__(self, parent: QWidget | None = None) -> None:
        panes = [TimePane(name, shows_time=name == PANE_NAMES[-1]) for name in PANE_NAMES]
        super().__init__(panes, parent)
        self._picture: HeatPicture | None = None
        self._colours = LIGHT
        self._images = [pyqtgraph.ImageItem(axisOrder="row-major") for _ in panes]
        for pane, image in zip(self.panes, self._images, strict=True):
            pane.add(image)
            pane.view.setYRange(0, 1, padding=0)
        self.set_colours(LIGHT)

    def show_picture(self, picture: HeatPicture) -> None:
        """Draw heat maps."""
        self._picture = picture
        area = QRectF(picture.start_seconds, 0, picture.end_seconds - picture.start_seconds, 1)
        for pane, image, drawn in zip(self.panes, self._images, picture.panes, strict=True):
            image.setImage(coloured(drawn.steps, self._table(drawn.scale)), autoLevels=False, levels=None)
            image.setRect(area)
            pane.left.setTicks([_fitting(picture.ticks, pane.view.height())])
            pane.set_title(f"{drawn.title} · {picture.top}" if pane is self.panes[0] else drawn.title)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write as many of the names of heights as there is room for."""
        super().resizeEvent(event)
        if self._picture is not None:
            for pane in self.panes:
                pane.left.setTicks([_fitting(self._picture.ticks, pane.view.height())])

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        super().set_colours(colours)
        self._colours = colours
        if self._picture is not None:
            self.show_picture(self._picture)

    def _table(self, scale: Scale) -> Table:
        return _TABLES[scale](self._colours)


def _fitting(ticks: Sequence[tuple[float, str]], height_pixels: float) -> list[tuple[float, str]]:
    """Those that neither overlap nor are cut off at the edges, from below."""
    kept: list[tuple[float, str]] = []
    last = -LINE_PIXELS / 2
    for share, name in ticks:
        at = share * height_pixels
        if last + LINE_PIXELS <= at <= height_pixels - LINE_PIXELS / 2:
            kept.append((share, name))
            last = at
    return kept
