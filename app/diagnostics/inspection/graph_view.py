"""The picture of a stage's graph: one box a kernel or folded module, which mouse, arrow keys and others can choose."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsScene, QGraphicsView, QWidget

from app.diagnostics.inspection.folding import Box, FoldedGraph
from app.diagnostics.inspection.graph_items import box_size, number_of
from app.diagnostics.inspection.graph_looks import widest_lines
from app.diagnostics.inspection.graph_scene import GraphScene
from app.diagnostics.inspection.graph_walk import Direction, neighbour
from app.diagnostics.inspection.inspection import StageInspection
from app.diagnostics.inspection.layout import Drawing, Layout
from app.diagnostics.inspection.words import spoken_box
from app.theme import LIGHT, Colours

FONT_PIXELS = 12
TURN_SECONDS = 0.008
"""How long making boxes may take before the window gets its turn."""
ZOOM_STEP = 1.2
SMALLEST_ZOOM = 0.05
LARGEST_ZOOM = 3.0
READABLE_ZOOM = 0.75
NAME = "Graph of the stage"
_WALKS = {
    Qt.Key.Key_Up: Direction.TO_SOURCES,
    Qt.Key.Key_Down: Direction.TO_TARGETS,
    Qt.Key.Key_Left: Direction.LEFT,
    Qt.Key.Key_Right: Direction.RIGHT,
}


class GraphView(QGraphicsView):
    """`box_chosen` and `fold_wanted` carry a `Box`: one that was chosen, and one to unfold, or to fold the module of.

    Keys: arrows go along edges and aside, Page Down and Page Up in the order of the calls, Return folds or unfolds,
    plus, minus and 0 zoom in, out and to the whole.
    """

    box_chosen = Signal(object)
    fold_wanted = Signal(object)
    drawn = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = LIGHT
        self._graph: GraphScene | None = None
        self._building: GraphScene | None = None
        self._chosen: int | None = None
        self._pressed_at: QPoint | None = None
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._build)
        self.setScene(QGraphicsScene(self))
        self.setObjectName("graph")
        self.setAccessibleName(NAME)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    @property
    def chosen(self) -> int | None:
        """The number of the chosen box."""
        return self._chosen

    @property
    def box(self) -> Box | None:
        """The chosen box."""
        return None if self._graph is None or self._chosen is None else self._graph.folded.boxes[self._chosen]

    @property
    def graph(self) -> GraphScene | None:
        """What is drawn."""
        return self._graph

    @property
    def zoom(self) -> float:
        """Pixels of the screen per pixel of the picture."""
        return self.transform().m11()

    def drawing_of(self, folded: FoldedGraph, known: StageInspection) -> Drawing:
        """What has to be laid out for a graph: its boxes as large as their text."""
        font = self._text_font()
        sizes = (box_size(widest_lines(box, known), font) for box in folded.boxes)
        return Drawing(tuple((size.width(), size.height()) for size in sizes), folded.edges)

    def show_graph(self, folded: FoldedGraph, drawing: Drawing, layout: Layout, known: StageInspection) -> None:
        """Draw a graph that is laid out; `drawn` is emitted when it is in sight."""
        self._building = GraphScene(folded, drawing, layout, known, self._text_font(), self)
        self._build()

    def show_nothing(self) -> None:
        """Draw no graph."""
        self._building, self._graph, self._chosen = None, None, None
        self._exchange(QGraphicsScene(self))
        self._announce()

    def show_states(self) -> None:
        """Draw boxes as their measurements are now."""
        if self._graph is not None:
            self._graph.show_states(self._colours)

    def choose(self, node: str | None) -> None:
        """Mark the box that shows a node, and bring it into sight; emits nothing."""
        number = self._graph.folded.box_of(node) if self._graph is not None and node is not None else None
        if number != self._chosen:
            self._mark(number)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self.setBackgroundBrush(QColor(colours.surface))
        if self._graph is not None:
            self._graph.set_colours(colours)

    def fit(self) -> None:
        """Show the whole graph."""
        self._zoom_to(min(self._whole_zoom(), 1.0))
        self.centerOn(self.sceneRect().center())

    def show_readably(self) -> None:
        """Show the whole graph if it can be read then, else the part around the chosen box."""
        self._zoom_to(min(max(self._whole_zoom(), READABLE_ZOOM), 1.0))
        if self._graph is not None and self._chosen is not None:
            self.centerOn(self._graph.boxes[self._chosen].area.center())
        else:
            self.centerOn(self.sceneRect().center().x(), 0)

    def zoom_by(self, factor: float) -> None:
        """Zoom in or out, within bounds."""
        self._zoom_to(self.zoom * factor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the chosen box in sight."""
        super().resizeEvent(event)
        if self._graph is not None and self._chosen is not None:
            area = self._graph.boxes[self._chosen].area
            if not self.mapToScene(self.viewport().rect()).boundingRect().contains(area):
                self.centerOn(area.center())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, fold and zoom."""
        key, box = Qt.Key(event.key()), self.box
        if self._graph is None:
            super().keyPressEvent(event)
        elif key in _WALKS and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._walk(self._graph, _WALKS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and box is not None:
            self.fold_wanted.emit(box)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._choose_here(0 if key is Qt.Key.Key_Home else len(self._graph.boxes) - 1)
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            self._step(self._graph, 1 if key is Qt.Key.Key_PageDown else -1)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_by(ZOOM_STEP)
        elif key is Qt.Key.Key_Minus:
            self.zoom_by(1 / ZOOM_STEP)
        elif key is Qt.Key.Key_0:
            self.fit()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl, else scroll."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(ZOOM_STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Note where it began, to tell a click from a drag."""
        self._pressed_at = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click chooses a box."""
        super().mouseReleaseEvent(event)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        at, pressed = event.position().toPoint(), self._pressed_at
        number = number_of(self.itemAt(at))
        moved = pressed is None or (at - pressed).manhattanLength() >= QApplication.startDragDistance()
        if number is not None and not moved:
            self._choose_here(number)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click folds or unfolds."""
        box = self._box_at(event.position().toPoint())
        if box is not None:
            self.fold_wanted.emit(box)

    def viewportEvent(self, event: QEvent) -> bool:
        """The tool tip of a box says all of it."""
        if event.type() is QEvent.Type.ToolTip and self._graph is not None:
            box = self._box_at(event.pos())  # type: ignore[attr-defined]
            self.viewport().setToolTip("" if box is None else spoken_box(box, self._graph.known))
        return super().viewportEvent(event)

    @Slot()
    def _build(self) -> None:
        """Make boxes for a short time, and the rest after the window has had its turn."""
        building = self._building
        if building is None:
            return
        if not building.build(self._colours, TURN_SECONDS):
            self._turn.start()
            return
        building.set_colours(self._colours)
        self._building, self._graph, self._chosen = None, building, None
        self._exchange(building)
        self.drawn.emit()

    def _exchange(self, scene: QGraphicsScene) -> None:
        old = self.scene()
        self.setScene(scene)
        old.deleteLater()

    def _box_at(self, at: QPoint) -> Box | None:
        number = number_of(self.itemAt(at))
        return None if number is None or self._graph is None else self._graph.folded.boxes[number]

    def _walk(self, graph: GraphScene, direction: Direction) -> None:
        start = self._chosen
        number = 0 if start is None else neighbour(graph.folded, graph.layout_, start, direction)
        if number is not None:
            self._choose_here(number)

    def _step(self, graph: GraphScene, step: int) -> None:
        """Go to the next box, or the one before, in the order of the calls: so every box is reached."""
        number = 0 if self._chosen is None else self._chosen + step
        if 0 <= number < len(graph.boxes):
            self._choose_here(number)

    def _choose_here(self, number: int) -> None:
        if number != self._chosen:
            self._mark(number)
            self.box_chosen.emit(self.box)

    def _mark(self, number: int | None) -> None:
        self._chosen = number
        if self._graph is not None:
            area = self._graph.mark(number)
            if number is not None:
                self.ensureVisible(area)
        self._announce()

    def _announce(self) -> None:
        """Tell screen readers which box is chosen."""
        box = self.box
        words = "" if box is None or self._graph is None else spoken_box(box, self._graph.known)
        self.setAccessibleDescription(words)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def _text_font(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(FONT_PIXELS)
        return font

    def _whole_zoom(self) -> float:
        area, room = self.sceneRect(), self.viewport().size()
        if area.isEmpty():
            return 1.0
        return min(room.width() / area.width(), room.height() / area.height())

    def _zoom_to(self, zoom: float) -> None:
        zoom = min(max(zoom, SMALLEST_ZOOM), LARGEST_ZOOM)
        self.resetTransform()
        self.scale(zoom, zoom)
