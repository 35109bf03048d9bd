"""Heat maps of the same time span, one below the other."""

from __future__ import annotations

import pyqtgraph
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QWidget

from app.diagnostics.colours import coloured, error_table, value_table
from app.diagnostics.pictures import HeatPicture
from app.diagnostics.time_pane import PaneStack, TimePane
from app.theme import LIGHT, Colours

LEFT_PIXELS = 6
PANE_NAMES = ("Ours", "Reference", "Difference")


class HeatView(PaneStack):
    """Ours, the reference, the difference."""

    def __init__(self, parent: QWidget | None = None) -> None:
        panes = [TimePane(name, shows_time=name == PANE_NAMES[-1], left_pixels=LEFT_PIXELS) for name in PANE_NAMES]
        super().__init__(panes, parent)
        self._picture: HeatPicture | None = None
        self._colours = LIGHT
        self._images = [pyqtgraph.ImageItem(axisOrder="row-major") for _ in panes]
        for pane, image in zip(self.panes, self._images, strict=True):
            pane.add(image)
            pane.view.setYRange(0, 1, padding=0)
            pane.left.setStyle(showValues=False)
        self.set_colours(LIGHT)

    def show_picture(self, picture: HeatPicture) -> None:
        """Draw heat maps."""
        self._picture = picture
        area = QRectF(picture.start_seconds, 0, picture.end_seconds - picture.start_seconds, 1)
        for pane, image, drawn in zip(self.panes, self._images, picture.panes, strict=True):
            table = error_table(self._colours) if drawn.is_error else value_table(self._colours)
            image.setImage(coloured(drawn.steps, table), autoLevels=False, levels=None)
            image.setRect(area)
            pane.set_title(f"{drawn.title} · {picture.top}" if pane is self.panes[0] else drawn.title)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        super().set_colours(colours)
        self._colours = colours
        if self._picture is not None:
            self.show_picture(self._picture)
