"""One kernel in detail: its numbers, its PyTorch source, its code, and the switches that replace it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QTabWidget, QVBoxLayout, QWidget

from app.diagnostics.inspection.inspection import StageInspection
from app.diagnostics.inspection.kernel_figures import KernelFigures
from app.diagnostics.inspection.kernel_switches import KernelSwitches
from app.diagnostics.inspection.source_view import SourceView, code_text
from app.theme import Colours
from engine.inspection.results import GraphNode

SPACE_PIXELS = 4
NO_CODE = "The kernel's code follows when all kernels of the stage are measured."


class KernelDetails(QTabWidget):
    """`node_chosen` carries the id of the node whose line of source, or the link to which, was chosen."""

    node_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: StageInspection | None = None
        self._node: GraphNode | None = None
        self._code = ""
        self.figures = KernelFigures(self)
        self.switches = KernelSwitches(self)
        self.source = SourceView(self)
        self.schedule = QLabel(self)
        self.code = code_text("TIR of the kernel", self)
        self.setObjectName("kernelDetails")
        self.setAccessibleName("Details of the kernel")
        self.setDocumentMode(True)
        self.tabBar().setObjectName("sideTabs")
        self.tabBar().setAccessibleName("Details of the kernel")
        self.schedule.setObjectName("faint")
        self.schedule.setWordWrap(True)
        for title, *parts in (
            ("Kernel", self.figures),
            ("Source", self.source),
            ("TIR", self.schedule, self.code),
            ("Replace", self.switches),
        ):
            self.addTab(_page(parts), title)
        for part in (self.figures, self.source):
            part.node_chosen.connect(self.node_chosen)

    def show_node(self, stage: str | None, known: StageInspection | None, node: GraphNode | None) -> None:
        """Show everything about a node."""
        self._known, self._node = known, node
        self.figures.show_node(known, node)
        self.switches.show_node(stage, node)
        self.source.show_node(known, node)
        self._show_code()

    def refresh(self) -> None:
        """Show what is known of the node now."""
        self.figures.refresh()
        self.source.refresh()
        self._show_code()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self.figures.set_colours(colours)
        self.source.set_colours(colours)

    def _show_code(self) -> None:
        node = self._node
        kernel = node.kernel if node is not None else ""
        code = self._known.codes.get(kernel) if self._known is not None else None
        words = code.tir if code is not None else NO_CODE if kernel else ""
        if words != self._code:
            self._code = words
            self.code.setPlainText(words)
        self.schedule.setText(f"{kernel}: {node.schedule}" if node is not None and node.schedule else kernel)
        self.schedule.setVisible(bool(kernel))


def _page(parts: Sequence[QWidget]) -> QWidget:
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.setContentsMargins(0, SPACE_PIXELS, 0, 0)
    layout.setSpacing(SPACE_PIXELS)
    for part in parts:
        layout.addWidget(part)
    return page
