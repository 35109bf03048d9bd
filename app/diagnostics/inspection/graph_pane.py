"""The graph of a stage with its buttons: folds it, has it laid out, and keeps what was chosen in sight."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QPushButton, QStackedLayout, QWidget

from app.diagnostics.inspection.folding import Box, FoldedGraph, Modules, first_unfolded, fold, modules_of
from app.diagnostics.inspection.graph_view import ZOOM_STEP, GraphView
from app.diagnostics.inspection.inspection import StageInspection
from app.diagnostics.inspection.layout import Drawing, Layout
from app.diagnostics.inspection.layout_process import LayoutProcess
from app.diagnostics.stages.strip_caption import ErrorScale
from app.theme import Colours

NOTHING_TO_DRAW = "There is no graph yet."
LAYING_OUT = "Laying the graph out…"
SCALE_MEANING = (
    "Colours: a kernel's own error over the size of its result. ✓ right, ≈ imprecise, ✗ wrong, ? not comparable"
)


class GraphPane(QWidget):
    """`box_chosen` carries the `Box` that was chosen."""

    box_chosen = Signal(object)
    worst_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: StageInspection | None = None
        self._modules = Modules({}, {})
        self._unfolded: frozenset[str] = frozenset()
        self._suspects: tuple[str, ...] = ()
        self._awaited: tuple[Drawing, FoldedGraph] | None = None
        self._node: str | None = None
        self._fresh = False
        self._turn = QTimer(self, singleShot=True, interval=0)  # so that not everything is done at once
        self.view = GraphView(self)
        self.words = QLabel(NOTHING_TO_DRAW, self)
        self.scale = ErrorScale(self)
        self.worst = _button("Worst", "Choose the kernel that is worst", self)
        self.unfold_all = _button("Unfold all", "Show every kernel as a box of its own", self)
        self.fold_all = _button("Fold all", "Show each of Kokoro's modules as one box", self)
        self.zoom_out = _button("−", "Zoom out", self)
        self.zoom_in = _button("+", "Zoom in", self)
        self.whole = _button("Whole", "Show the whole graph", self)
        self.layouts = LayoutProcess(parent=self)
        self._lay_out()
        self._connect()

    def show_stage(self, known: StageInspection | None) -> None:
        """Draw the graph of a stage, unfolded as far as it stays small."""
        same = known is not None and self._known is not None and known.graph == self._known.graph
        self._known, self._suspects = known, known.suspects() if known is not None else ()
        if not same:
            self._awaited = None
            self.view.show_nothing()  # nor what was about to be drawn
        if known is None:
            self._say(NOTHING_TO_DRAW)
            return
        if not same:
            self._modules = modules_of(known.graph)
            self._unfolded = first_unfolded(known.graph, self._modules, self._suspects)
            self._fresh = True
        self._turn.start()

    def refresh(self) -> None:
        """Show measurements as they are now, and unfold the modules around kernels that turned out to be wrong."""
        if self._known is None:
            return
        suspects = self._known.suspects()
        if suspects != self._suspects:
            self._suspects = suspects
            self._unfold_around(suspects)
        self.view.show_states()

    def choose(self, node: str | None) -> None:
        """Mark the box that shows a node."""
        self._node = node
        self.view.choose(node)

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """What the graph is folded and zoomed with, for a bar above it."""
        return self.worst, self.unfold_all, self.fold_all, self.zoom_out, self.zoom_in, self.whole

    @Slot(str)
    def reveal(self, node: str) -> None:
        """Unfold the modules around a node."""
        self._unfold_around((node,))

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self.view.set_colours(colours)
        self.scale.set_colours(colours)

    def shut_down(self, timeout_ms: int) -> None:
        """End the process that lays out."""
        self.layouts.shut_down(timeout_ms)

    def _unfold_around(self, nodes: tuple[str, ...]) -> None:
        paths = {path for node in nodes for path in self._modules.around.get(node, ())}
        if not paths <= self._unfolded:
            self._unfolded |= paths
            self._turn.start()

    @Slot()
    def _draw(self) -> None:
        if self._known is None:
            return
        folded = fold(self._known.graph, self._modules, self._unfolded)
        drawing = self.view.drawing_of(folded, self._known)
        self._awaited = drawing, folded
        if self._fresh:
            self._say(LAYING_OUT)
        self.layouts.lay_out(drawing)

    @Slot(object, object)
    def _on_layout(self, drawing: Drawing, layout: Layout) -> None:
        if self._known is None or self._awaited is None or self._awaited[0] != drawing:
            return
        self.view.show_graph(self._awaited[1], drawing, layout, self._known)

    @Slot(str)
    def _on_failure(self, words: str) -> None:
        if self._known is not None:
            self._say(words)

    @Slot()
    def _on_drawn(self) -> None:
        self._pages.setCurrentWidget(self.view)
        self.view.choose(self._node)
        if self._fresh:
            self._fresh = False
            self.view.show_readably()

    @Slot(str)
    def _say(self, words: str) -> None:
        self.words.setText(words)
        self._pages.setCurrentWidget(self.words)

    @Slot(object)
    def _on_fold(self, box: Box) -> None:
        paths = self._modules.around.get(box.nodes[0])
        if box.folded:
            self._unfolded |= {box.module_path}
        elif paths:
            self._unfolded -= {paths[-1]}
        else:
            return
        self._turn.start()

    @Slot()
    def _on_unfold_all(self) -> None:
        self._unfolded = frozenset(self._modules.members)
        self._turn.start()

    @Slot()
    def _on_fold_all(self) -> None:
        self._unfolded = frozenset()
        self._turn.start()

    @Slot()
    def _on_zoom_in(self) -> None:
        self.view.zoom_by(ZOOM_STEP)

    @Slot()
    def _on_zoom_out(self) -> None:
        self.view.zoom_by(1 / ZOOM_STEP)

    def _connect(self) -> None:
        self._turn.timeout.connect(self._draw)
        self.view.box_chosen.connect(self.box_chosen)
        self.view.fold_wanted.connect(self._on_fold)
        self.worst.clicked.connect(self.worst_wanted)
        self.unfold_all.clicked.connect(self._on_unfold_all)
        self.fold_all.clicked.connect(self._on_fold_all)
        self.zoom_in.clicked.connect(self._on_zoom_in)
        self.zoom_out.clicked.connect(self._on_zoom_out)
        self.whole.clicked.connect(self.view.fit)
        self.view.drawn.connect(self._on_drawn)
        self.layouts.laid_out.connect(self._on_layout)
        self.layouts.failed.connect(self._on_failure)

    def _lay_out(self) -> None:
        self.words.setObjectName("faint")
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.scale.setToolTip(SCALE_MEANING)
        self.scale.setAccessibleName(SCALE_MEANING)
        self._pages = QStackedLayout(self)
        for page in (self.words, self.view):
            self._pages.addWidget(page)


def _button(title: str, meaning: str, parent: QWidget) -> QPushButton:
    button = QPushButton(title, parent)
    button.setObjectName("panelButton")
    button.setToolTip(meaning)
    button.setAccessibleName(meaning if len(title) == 1 else title)
    return button
