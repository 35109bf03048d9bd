"""Everything known of one kernel in two columns, which can be selected and copied."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from app.diagnostics.inspection.inspection import StageInspection
from app.diagnostics.inspection.words import figures_of
from app.theme import LIGHT, Colours
from engine.inspection.results import GraphNode

CHOOSE = "Choose a kernel in the list or the source."


class KernelFigures(QScrollArea):
    """What the kernel computes and how, its error, its time, its operations and bytes; a finding in words on top.

    `node_chosen` carries the id of a node before or after it, when the link to that is clicked.
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
        if self._known is None or self._node is None:
            self.label.setText(escape(CHOOSE))
            return
        figures = figures_of(self._node, self._known.measurements.get(self._node.id))
        rows = [(name, _breakable(words)) for name, words in figures]
        for name, nodes in (
            ("Reads", self._known.read_by(self._node.id)),
            ("Read by", self._known.readers_of(self._node.id)),
        ):
            if nodes:
                rows.append((name, self._links(nodes)))
        lines = "".join(
            f"<tr><td style='color:{self._colours.faint}; padding-right:8px'>{escape(name)}</td><td>{cell}</td></tr>"
            for name, cell in rows
        )
        found = [each.words for each in self._known.findings or () if each.node == self._node.id]
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
