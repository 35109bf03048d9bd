"""One kernel in detail: everything known of it in numbers and links, and where it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from app.diagnostics.kernels.inspection import StageInspection
from app.diagnostics.kernels.source_view import SourceView
from app.diagnostics.kernels.words import figures_of
from app.theme import LIGHT, Colours
from engine.inspection.results import GraphNode

SPACE_PIXELS = 4
CHOOSE = "Choose a kernel in the list or the source."


class KernelDetails(QTabWidget):
    """`node_chosen` carries the id of the node whose line of source, or the link to which, was chosen."""

    node_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.figures = KernelFigures(self)
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
            part.node_chosen.connect(self.node_chosen)

    def show_node(self, stage: str | None, known: StageInspection | None, node: GraphNode | None) -> None:
        """Show everything about a node."""
        self.figures.show_node(known, node)
        self.source.show_node(stage, known, node)

    def refresh(self) -> None:
        """Show what is known of the node now."""
        self.figures.refresh()
        self.source.refresh()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self.figures.set_colours(colours)
        self.source.set_colours(colours)


class KernelFigures(QScrollArea):
    """What the kernel computes and how, its error, its time, its operations and bytes; a finding in words on top.

    All can be selected and copied. `node_chosen` carries the id of a node before or after it, when the link to that is
    clicked.
    """

    node_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: StageInspection | None = None
        self._node: GraphNode | None = None
        self._colours = LIGHT
        self.label = QLabel(CHOOSE, self)
        self.label.setObjectName("figures")
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self.label.linkActivated.connect(self.node_chosen)
        self.setObjectName("figuresArea")
        self.setAccessibleName("Numbers of the kernel")
        self.setWidget(self.label)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)

    def show_node(self, known: StageInspection | None, node: GraphNode | None) -> None:
        """Show what is known of a node."""
        self._known, self._node = known, node
        self.refresh()

    def refresh(self) -> None:
        """Show what is known of the node now."""
        known, node = self._known, self._node
        if known is None or node is None:
            self.label.setText(escape(CHOOSE))
            return
        figures = figures_of(node, known.measurements.get(node.id))
        rows = [(name, _breakable(words)) for name, words in figures]
        for name, nodes in (("Reads", known.read_by(node.id)), ("Read by", known.readers_of(node.id))):
            if nodes:
                rows.append((name, self._links(nodes)))
        lines = "".join(
            f"<tr><td style='color:{self._colours.faint}; padding-right:8px'>{escape(name)}</td><td>{cell}</td></tr>"
            for name, cell in rows
        )
        found = [each.words for each in known.findings or () if each.node == node.id]
        top = "".join(f"<div style='color:{self._colours.error}'>{_breakable(words)}</div>" for words in found)
        self.label.setText(f"{top}<table>{lines}</table>")
        self.label.setAccessibleName("; ".join((*found, *(f"{name} {words}" for name, words in figures))))

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self.refresh()

    def _links(self, nodes: Sequence[GraphNode]) -> str:
        style = f"color:{self._colours.accent}"
        return ", ".join(f"<a href='{escape(node.id)}' style='{style}'>{_breakable(node.label)}</a>" for node in nodes)


def _breakable(words: str) -> str:
    """Text as HTML that may be broken inside long names."""
    return escape(words).replace(".", ".&#8203;").replace("_", "_&#8203;")
