"""Draws directions in a text, such as `[pause 1.5s]` and `[voice:am_michael]`, as pills."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QTextBlock, QTextLayout
from PySide6.QtWidgets import QPlainTextEdit

from app.theme import colours

DIRECTION = re.compile(
    r"\[ *(?:pause\b[^\[\]\n]{0,60}|voice(?: *[:=][^\[\]\n]{0,200}| +[^\s\[\]]{1,200} *))\](?!\()", re.IGNORECASE
)
"""What the engine takes as a direction; with a round bracket after it, a pronunciation is given."""
RADIUS_PIXELS = 8
ALPHA = 40
SPREAD_PIXELS = 2


def pills_in(edit: QPlainTextEdit) -> list[QRectF]:
    """Where the directions are in the viewport, as far as it shows them; one over several lines has several."""
    found: list[QRectF] = []
    block, offset = edit.firstVisibleBlock(), edit.contentOffset()
    while block.isValid():
        area = edit.blockBoundingGeometry(block).translated(offset)
        if area.top() > edit.viewport().height():
            break
        found.extend(_pills_in_block(block, area.topLeft()))
        block = block.next()
    return found


def paint_pills(edit: QPlainTextEdit) -> None:
    """Draw the pills over the text, which shows through; for use in a paint event of the viewport."""
    pills = pills_in(edit)
    if not pills:
        return
    painter = QPainter(edit.viewport())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line, fill = QColor(colours().accent), QColor(colours().accent)
    fill.setAlpha(ALPHA)
    painter.setPen(line)
    painter.setBrush(fill)
    for pill in pills:
        painter.drawRoundedRect(pill, RADIUS_PIXELS, RADIUS_PIXELS)
    painter.end()


def _pills_in_block(block: QTextBlock, origin: QPointF) -> Iterator[QRectF]:
    text = block.text()
    if "[" not in text:
        return
    for match in DIRECTION.finditer(text):
        start, end = (len(text[:place].encode("utf-16-le")) // 2 for place in match.span())
        yield from _lines(block.layout(), start, end, origin)


def _lines(layout: QTextLayout, start: int, end: int, origin: QPointF) -> Iterator[QRectF]:
    """The area of positions `start` to `end` on each line that has some of them."""
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        first, last = max(start, line.textStart()), min(end, line.textStart() + line.textLength())
        if first < last:
            left, right = (line.cursorToX(place)[0] for place in (first, last))  # type: ignore[index]
            area = QRectF(left, line.y(), right - left, line.height()).translated(origin)
            yield area.adjusted(-SPREAD_PIXELS, 0.5, SPREAD_PIXELS, -0.5)
