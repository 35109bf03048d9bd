"""One kernel in detail: everything known of it in numbers and links, and where it comes from."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.diagnostics.colours import Tone
from app.diagnostics.figures import FiguresView
from app.diagnostics.kernels.inspection import StageInspection
from app.diagnostics.kernels.source_view import SourceView
from app.diagnostics.kernels.words import figures_of
from engine.inspection.results import GraphNode

SPACE_PIXELS = 4
CHOOSE = "Choose a kernel in the list or the source."


class KernelDetails(QTabWidget):
    """`node_chosen` carries the id of the node whose line of source, or the link to which, was chosen."""

    node_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: StageInspection | None = None
        self._node: GraphNode | None = None
        self.figures = FiguresView("Numbers of the kernel", self)
        self.source = SourceView(self)
        self.setObjectName("kernelDetails")
        self.setAccessibleName("Details of the kernel")
        self.setDocumentMode(True)
        self.tabBar().setObjectName("sideTabs")
        self.tabBar().setAccessibleName("Details of the kernel")
        for title, part in (("Kernel", self.figures), ("Source", self.source)):
            page = QWidget()
            layout = QVBoxLayout(page)
            layout.setContentsMargins(0, SPACE_PIXELS, 0, 0)
            layout.addWidget(part)
            self.addTab(page, title)
        self.figures.link_chosen.connect(self.node_chosen)
        self.source.node_chosen.connect(self.node_chosen)
        self.show_node(None, None, None)

    def show_node(self, stage: str | None, known: StageInspection | None, node: GraphNode | None) -> None:
        """Show everything about a node."""
        self._known, self._node = known, node
        self._show_figures()
        self.source.show_node(stage, known, node)

    def refresh(self) -> None:
        """Show what is known of the node now."""
        self._show_figures()
        self.source.refresh()

    def _show_figures(self) -> None:
        """What the kernel computes and how, its error, its time, its neighbours; a finding in words on top."""
        known, node = self._known, self._node
        if known is None or node is None:
            self.figures.show_figures(CHOOSE, Tone.PLAIN, ())
            return
        neighbours = (("Reads", known.read_by(node.id)), ("Read by", known.readers_of(node.id)))
        links = [(name, tuple((each.id, each.label) for each in nodes)) for name, nodes in neighbours if nodes]
        found = " ".join(each.words for each in known.findings or () if each.node == node.id)
        figures = figures_of(node, known.measurements.get(node.id))
        self.figures.show_figures(found, Tone.ERROR, (*figures, *links))
