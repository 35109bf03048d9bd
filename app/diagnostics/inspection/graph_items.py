"""What a graph is drawn with: boxes of up to three lines of text, and edges with arrowheads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem, QGraphicsSimpleTextItem

from app.diagnostics.inspection.layout import Layout, Point

ROUNDING_PIXELS = 6.0
PADDING_PIXELS = 8.0
FOLD_PIXELS = 3.0
"""How far the box that seems to lie below a folded one stands out."""
WIDEST_PIXELS = 190.0
NARROWEST_PIXELS = 90.0
HEAD_LENGTH_PIXELS = 7.0
HEAD_HALF_PIXELS = 3.5
BOX_ROLE = 0
"""Where an item keeps the number of its box."""
INKS = ("#000000", "#ffffff")


@dataclass(frozen=True)
class BoxLook:
    """The lines of a box, and the colours and strokes that say how it is."""

    lines: tuple[str, ...]
    fill: str
    border: str
    width_pixels: float
    style: Qt.PenStyle
    folded: bool = False


class BoxItem(QGraphicsPathItem):
    """A box with its text; everything in it is drawn by Qt's own items, which is fast."""

    def __init__(self, number: int, centre: Point, size: QSizeF, font: QFont) -> None:
        super().__init__()
        self._area = QRectF(centre[0] - size.width() / 2, centre[1] - size.height() / 2, size.width(), size.height())
        self._font = font
        self._texts: list[QGraphicsSimpleTextItem] = []
        self._look: BoxLook | None = None
        self.setData(BOX_ROLE, number)

    @property
    def area(self) -> QRectF:
        """Where the box is in the scene."""
        return self._area

    @property
    def look(self) -> BoxLook | None:
        """What it shows."""
        return self._look

    def show_look(self, look: BoxLook) -> None:
        """Show this; cheap if nothing has changed."""
        if look == self._look:
            return
        self._look = look
        self.setPath(self._outline(look.folded))
        self.setBrush(QColor(look.fill))
        pen = QPen(QColor(look.border), look.width_pixels, look.style)
        pen.setCosmetic(True)  # what is wrong is seen however small the picture is
        self.setPen(pen)
        self._show_lines(look)

    def _outline(self, folded: bool) -> QPainterPath:
        path = QPainterPath()
        if folded:
            path.addRoundedRect(self._area.translated(FOLD_PIXELS, FOLD_PIXELS), ROUNDING_PIXELS, ROUNDING_PIXELS)
        path.addRoundedRect(self._area, ROUNDING_PIXELS, ROUNDING_PIXELS)
        path.setFillRule(Qt.FillRule.WindingFill)
        return path

    def _show_lines(self, look: BoxLook) -> None:
        ink, room = QBrush(QColor(ink_on(look.fill))), self._area.width() - 2 * PADDING_PIXELS
        for number, line in enumerate(look.lines):
            if number == len(self._texts):
                self._texts.append(self._text(number))
            text = self._texts[number]
            text.setText(QFontMetricsF(text.font()).elidedText(line, Qt.TextElideMode.ElideMiddle, room))
            text.setBrush(ink)

    def _text(self, number: int) -> QGraphicsSimpleTextItem:
        text = QGraphicsSimpleTextItem(self)
        text.setData(BOX_ROLE, self.data(BOX_ROLE))
        text.setFont(weighted(self._font, bold=number == 0))
        top = self._area.top() + PADDING_PIXELS / 2 + number * QFontMetricsF(self._font).lineSpacing()
        text.setPos(self._area.left() + PADDING_PIXELS, top)
        return text


def box_size(lines: Iterable[str], font: QFont) -> QSizeF:
    """The size of a box for these lines: as wide as the widest, within bounds."""
    metrics, shown = QFontMetricsF(weighted(font, bold=True)), list(lines)
    width = max((metrics.horizontalAdvance(line) for line in shown), default=0) + 2 * PADDING_PIXELS + 2
    height = len(shown) * metrics.lineSpacing() + PADDING_PIXELS
    return QSizeF(min(max(width, NARROWEST_PIXELS), WIDEST_PIXELS), height)


def edge_lines(layout: Layout, numbers: Iterable[int]) -> QPainterPath:
    """The lines of these edges."""
    path = QPainterPath()
    for number in numbers:
        route = layout.routes[number]
        path.moveTo(*route[0])
        for corner in route[1:]:
            path.lineTo(*corner)
    return path


def edge_heads(layout: Layout, numbers: Iterable[int]) -> QPainterPath:
    """The arrowheads of these edges."""
    path = QPainterPath()
    for number in numbers:
        before, tip = layout.routes[number][-2:]
        path.addPolygon(_head(QPointF(*before), QPointF(*tip)))
        path.closeSubpath()
    return path


def ink_on(fill: str) -> str:
    """Black or white, whichever stands out more from a fill."""
    ground = luminance(QColor(fill))
    return max(INKS, key=lambda ink: abs(log((luminance(QColor(ink)) + 0.05) / (ground + 0.05))))


def luminance(colour: QColor) -> float:
    """The relative luminance of a colour, 0 to 1, as WCAG 2.2 defines it."""
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def number_of(item: QGraphicsItem | None) -> int | None:
    """The number of the box that an item belongs to."""
    number = item.data(BOX_ROLE) if item is not None else None
    return number if isinstance(number, int) else None


def _head(before: QPointF, tip: QPointF) -> QPolygonF:
    along = tip - before
    length = (along.x() ** 2 + along.y() ** 2) ** 0.5 or 1.0
    unit = along / length
    aside = QPointF(-unit.y(), unit.x()) * HEAD_HALF_PIXELS
    base = tip - unit * HEAD_LENGTH_PIXELS
    return QPolygonF([tip, base + aside, base - aside])


def weighted(font: QFont, bold: bool) -> QFont:
    """The font, bold or not."""
    found = QFont(font)
    found.setBold(bold)
    return found
