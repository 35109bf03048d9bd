"""The list of stages: each row has the stage's verdict, its metrics and its strip along the words of the header."""

from __future__ import annotations

from PySide6.QtCore import (
    QItemSelection,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from app.diagnostics.colors import PlainSelection
from app.diagnostics.stages.stage_rows import COLUMNS, STAGE_ROLE, Column, StageTableModel, WorstFirstProxy
from app.diagnostics.stages.strip import Strip
from app.diagnostics.stages.strip_painter import StripPainter

ROW_PIXELS = 27
CELL_MARGIN_PIXELS = 12
STRIP_SHARE = 0.42
"""The minimum fraction of the width for the strip."""
STEPS_ACROSS = 50
ZOOM = 0.8
LINE_MARGIN_PIXELS = 3
GIVE_WAY = tuple(
    sorted(
        (each for each in Column if COLUMNS[each].gives_way is not None), key=lambda each: COLUMNS[each].gives_way or 0
    )
)
HEIGHT_PIXELS = 46
WORDS_PIXELS = 18
MARGIN_PIXELS = 4
Index = QModelIndex | QPersistentModelIndex


class StageTable(QTableView):
    """The table of stages.

    `stage_selected` is emitted for every selection, `stage_activated` when the user wants to inspect a stage.
    `moment_chosen` carries the seconds of the utterance that the user points at.
    """

    stage_selected = Signal(str)
    stage_activated = Signal(str)
    moment_chosen = Signal(float)

    def __init__(self, model: StageTableModel, strip: Strip, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.strip = strip
        self._fitted = False
        self._dragged_from: float | None = None
        self._pictures = StripPainter(strip)
        self.proxy = WorstFirstProxy(model, self)
        self.header = StageHeader(strip, self._pictures, self)
        self.setHorizontalHeader(self.header)
        self.setModel(self.proxy)
        self._prepare()
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.strip.changed.connect(self._draw)
        self.strip.line_moved.connect(self._on_line)
        self.header.moment_chosen.connect(self._on_header_moment)
        self.header.wheel_turned.connect(self._zoom)
        self.compare_with_earlier(False)

    @property
    def stage(self) -> str | None:
        """The selected stage."""
        chosen = self.currentIndex().data(STAGE_ROLE) if self.selectionModel().hasSelection() else None
        return chosen if isinstance(chosen, str) else None

    def select(self, stage: str) -> None:
        """Select a stage."""
        index = self.proxy.index_of(stage)
        if self.stage != stage:
            self.setCurrentIndex(index)
            self.selectRow(index.row())
        self.scrollTo(index)

    @Slot(bool)
    def put_worst_first(self, wanted: bool) -> None:
        """Sort the worst stage to the top, or the stages in their order."""
        column, order = (
            (Column.VERDICT, Qt.SortOrder.DescendingOrder) if wanted else (Column.STAGE, Qt.SortOrder.AscendingOrder)
        )
        self.sortByColumn(column, order)

    def compare_with_earlier(self, wanted: bool) -> None:
        """Show or hide the column of changes."""
        self.setColumnHidden(Column.CHANGE, not wanted)
        self._make_room()

    def showEvent(self, event: QShowEvent) -> None:
        """Set the widths of the columns the first time."""
        super().showEvent(event)
        if not self._fitted:
            self._fitted = True
            self._fit_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the less important columns if space is short."""
        super().resizeEvent(event)
        self._make_room()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines over all rows."""
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            self._pictures.draw_lines(painter, self._strip_area)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor with left and right, zoom with plus and minus, activate the stage with Return."""
        moment, scale = self.strip.cursor or 0.0, self.strip.scale
        start, end = scale.in_view
        step = (end - start) / STEPS_ACROSS
        moments = {
            Qt.Key.Key_Left: moment - step,
            Qt.Key.Key_Right: moment + step,
            Qt.Key.Key_Home: 0.0,
            Qt.Key.Key_End: scale.length_seconds,
        }
        key = Qt.Key(event.key())
        if key in moments:
            self._choose(moments[key])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            scale.zoom(ZOOM if key is not Qt.Key.Key_Minus else 1 / ZOOM, moment)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate_current()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the stage; in a strip, start dragging along time."""
        super().mousePressEvent(event)
        if self._in_strip(event):
            self._dragged_from = event.position().x()
            self._choose(self.strip.scale.seconds_at(event.position().x(), self._strip_area))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag along time if the view is zoomed."""
        if self._dragged_from is None:
            super().mouseMoveEvent(event)
            return
        scale, area = self.strip.scale, self._strip_area
        start, end = scale.in_view
        scale.move((self._dragged_from - event.position().x()) / area.width() * (end - start))
        self._dragged_from = event.position().x()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Stop dragging."""
        self._dragged_from = None
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole utterance again in a strip; elsewhere, activate the stage."""
        if self._in_strip(event):
            self.strip.scale.show_all()
        else:
            self._activate_current()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom in a strip, else scroll."""
        if self._strip_area.left() <= event.position().x():
            self._zoom(event)
        else:
            super().wheelEvent(event)

    @property
    def _strip_area(self) -> QRectF:
        area = self.header.strip_area
        area.setHeight(self.viewport().height())
        return area

    def _in_strip(self, event: QMouseEvent) -> bool:
        inside = self._strip_area.contains(event.position()) and self.strip.content is not None
        return inside and event.button() is Qt.MouseButton.LeftButton

    def _choose(self, seconds: float) -> None:
        if self.strip.content is not None:
            self.strip.show_moment(seconds)
            self.moment_chosen.emit(self.strip.cursor)

    @Slot(QWheelEvent)
    def _zoom(self, event: QWheelEvent) -> None:
        seconds = self.strip.scale.seconds_at(event.position().x(), self._strip_area)
        self.strip.scale.zoom(ZOOM if event.angleDelta().y() > 0 else 1 / ZOOM, seconds)
        event.accept()

    @Slot()
    def _draw(self) -> None:
        self.viewport().update()
        self.header.viewport().update()

    @Slot(object, object)
    def _on_line(self, before: float | None, now: float | None) -> None:
        area = self._strip_area
        for seconds in (before, now):
            if seconds is not None:
                left = int(self.strip.scale.x_of(seconds, area)) - LINE_MARGIN_PIXELS
                for part in (self.viewport(), self.header.viewport()):
                    part.update(QRect(left, 0, 2 * LINE_MARGIN_PIXELS, part.height()))
        self.setAccessibleDescription(self.strip.describe_cursor(self.stage))

    @Slot(float)
    def _on_header_moment(self, seconds: float) -> None:
        self._choose(seconds)

    @Slot(QItemSelection, QItemSelection)
    def _on_selection(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        if self.stage is not None and selected.count():
            self.stage_selected.emit(self.stage)

    @Slot()
    def _activate_current(self) -> None:
        if self.stage is not None:
            self.stage_activated.emit(self.stage)

    def _prepare(self) -> None:
        self.setObjectName("stages")
        self.setAccessibleName("Stages")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setTabKeyNavigation(False)
        self.setItemDelegate(PlainSelection(self))
        self.setItemDelegateForColumn(Column.STRIP, StripDelegate(self.strip, self._pictures, self))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSortingEnabled(True)
        self.put_worst_first(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_PIXELS)
        self.header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header.setStretchLastSection(True)

    def _fit_columns(self) -> None:
        """Fit the longest texts, in the font that the style sheet has set."""
        for column in Column:
            if column is not Column.STRIP:
                self.header.resizeSection(column, self._width_of(column))
        self._make_room()

    def _make_room(self) -> None:
        shown = [each for each in Column if each is not Column.CHANGE or not self.isColumnHidden(each)]
        room = self.viewport().width() * (1 - STRIP_SHARE)
        missing = sum(map(self._width_of, shown)) - room
        for column in GIVE_WAY:
            self.setColumnHidden(column, missing > 0)
            missing -= self._width_of(column)

    def _width_of(self, column: Column) -> int:
        widths = map(self.fontMetrics().horizontalAdvance, COLUMNS[column].widest)
        return max(widths, default=-CELL_MARGIN_PIXELS) + CELL_MARGIN_PIXELS


class StageHeader(QHeaderView):
    """The header of the table; `moment_chosen` carries the seconds at which the waveform or a word is clicked."""

    moment_chosen = Signal(float)
    wheel_turned = Signal(QWheelEvent)

    def __init__(self, strip: Strip, pictures: StripPainter, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._strip = strip
        self._pictures = pictures
        self.setHighlightSections(False)
        self.setSectionsClickable(True)
        self.setSortIndicatorShown(True)
        self.setMinimumSectionSize(MARGIN_PIXELS)

    @property
    def strip_area(self) -> QRectF:
        """The area of all strips, from left to right, over the whole height of the header."""
        left, width = self.sectionViewportPosition(Column.STRIP), self.sectionSize(Column.STRIP)
        return QRectF(left + MARGIN_PIXELS, 0, max(width - 2 * MARGIN_PIXELS, 1), self.height())

    def sizeHint(self) -> QSize:
        """Return a height that fits the waveform and the words."""
        return QSize(super().sizeHint().width(), HEIGHT_PIXELS)

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        """Draw a title, or the waveform above the words."""
        if logicalIndex != Column.STRIP:
            super().paintSection(painter, rect, logicalIndex)
            return
        area = self.strip_area
        self._pictures.draw_wave(painter, area.adjusted(0, 2, 0, -WORDS_PIXELS - 2))
        self._pictures.draw_text(painter, area.adjusted(0, area.height() - WORDS_PIXELS, 0, 0))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines over everything."""
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            self._pictures.draw_lines(painter, self.strip_area)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select a moment in the strip, or sort by a column."""
        if self.strip_area.contains(event.position()):
            self.moment_chosen.emit(self._seconds_at(event.position()))
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue to select a moment while the button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton and self.strip_area.contains(event.position()):
            self.moment_chosen.emit(self._seconds_at(event.position()))
        else:
            super().mouseMoveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole utterance again."""
        if self.strip_area.contains(event.position()):
            self._strip.scale.show_all()
        else:
            super().mouseDoubleClickEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Let the list zoom."""
        self.wheel_turned.emit(event)

    def viewportEvent(self, event: QHelpEvent) -> bool:  # type: ignore[override]
        """Show the word under the mouse."""
        if event.type() is QHelpEvent.Type.ToolTip and self.strip_area.contains(QPointF(event.pos())):
            QToolTip.showText(event.globalPos(), self._strip.words_at(None, self._seconds_at(QPointF(event.pos()))))
            return True
        return super().viewportEvent(event)

    def _seconds_at(self, position: QPointF) -> float:
        return self._strip.scale.seconds_at(position.x(), self.strip_area)


class StripDelegate(QStyledItemDelegate):
    """Draws the cells instead of the text, which is for screen readers; the tooltip describes one cell."""

    def __init__(self, strip: Strip, pictures: StripPainter, parent: QAbstractItemView) -> None:
        super().__init__(parent)
        self._strip = strip
        self._pictures = pictures

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the background of the row, then the cells."""
        super().paint(painter, option, index)
        painter.save()
        self._pictures.draw_cells(painter, _area(option), index.data(STAGE_ROLE))
        painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Leave out the text."""
        super().initStyleOption(option, index)
        option.text = ""  # type: ignore[attr-defined]

    def helpEvent(self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index) -> bool:
        """Show the word under the mouse, and the error of the stage there."""
        stage = index.data(STAGE_ROLE)
        seconds = self._strip.scale.seconds_at(event.pos().x(), _area(option))
        QToolTip.showText(event.globalPos(), self._strip.words_at(stage, seconds) if stage is not None else "")
        return True


def _area(option: QStyleOptionViewItem) -> QRectF:
    return QRectF(option.rect).adjusted(MARGIN_PIXELS, 0, -MARGIN_PIXELS, 0)  # type: ignore[attr-defined]
