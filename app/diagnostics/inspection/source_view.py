"""The Python that a kernel comes from, with the lines of the graph marked; a line chooses its kernel."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontDatabase, QShowEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from app.diagnostics.inspection.inspection import StageInspection, severity
from app.diagnostics.inspection.source_text import NOT_HERE, known_lines, source_text
from app.diagnostics.inspection.words import SIGNS
from app.theme import LIGHT, Colours
from app.widgets.combo_box import ComboBox
from engine.inspection.results import GraphNode, SourceLine

NO_SOURCE = "No line of Python is known for this."
NUMBER_DIGITS = 4
SPACE_PIXELS = 4
MADE = "·"
"""Marks a line that made a node that is not measured."""


class SourceView(QWidget):
    """`node_chosen` carries the id of the worst node that the chosen line made."""

    node_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: StageInspection | None = None
        self._node: GraphNode | None = None
        self._colours = LIGHT
        self._numbers: tuple[int, ...] = ()
        self._written: tuple[object, ...] = ()
        self.place = ComboBox("Line of Python", "The call that made this kernel, and those around it", 16, self)
        self.note = QLabel(self)
        self.text = code_text("PyTorch source", self)
        self._lay_out()
        self.place.chosen.connect(self._on_place)
        self.text.cursorPositionChanged.connect(self._on_cursor)

    @property
    def line(self) -> int | None:
        """The number of the line that the cursor is in."""
        block = self.text.textCursor().blockNumber()
        return self._numbers[block] if block < len(self._numbers) else None

    def show_node(self, known: StageInspection | None, node: GraphNode | None) -> None:
        """Show where a node comes from."""
        self._known, self._node = known, node
        places = node.source if node is not None else ()
        kept = self.place.value
        self.place.offer((place, f"{place.file}:{place.line}", place.text) for place in places)
        self.place.choose(kept if kept in places else next(iter(places), None))
        self.place.setVisible(bool(places))
        self.refresh()

    def refresh(self) -> None:
        """Mark lines as their kernels are now; later if nobody can see them."""
        if self.isVisible():
            self._show_place()

    def showEvent(self, event: QShowEvent) -> None:
        """Mark lines as their kernels are now."""
        super().showEvent(event)
        self._show_place()

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self._colours = colours
        self._mark_line()

    @Slot(object)
    def _on_place(self, place: object) -> None:
        self._show_place()

    def _show_place(self) -> None:
        place = self.place.value
        if self._known is None or not isinstance(place, SourceLine):
            self._write("", (), NO_SOURCE if self._node is not None else "")
            return
        text = source_text(place.file)
        if text is None:
            found = known_lines(place.file, (each for node in self._known.graph.nodes for each in node.source))
            note = NOT_HERE.format(file=place.file)
        else:
            found, note = dict(enumerate(text.splitlines(), start=1)), ""
        signs = line_signs(self._known, place.file)
        lines = (f"{signs.get(number, ' ')}{number:>{NUMBER_DIGITS}}  {line}" for number, line in found.items())
        self._write("\n".join(lines), tuple(found), note)
        self._go_to(place.line)

    def _write(self, text: str, numbers: tuple[int, ...], note: str) -> None:
        self.note.setText(note)
        self.note.setVisible(bool(note))
        if (text, numbers) != self._written:
            self._written = (text, numbers)
            blocked = self.text.blockSignals(True)
            self.text.setPlainText(text)
            self.text.blockSignals(blocked)
            self._numbers = numbers

    def _go_to(self, line: int) -> None:
        if line in self._numbers and line != self.line:
            cursor = QTextCursor(self.text.document().findBlockByNumber(self._numbers.index(line)))
            blocked = self.text.blockSignals(True)
            self.text.setTextCursor(cursor)
            self.text.centerCursor()
            self.text.blockSignals(blocked)
        self._mark_line()

    def _mark_line(self) -> None:
        mark = QTextEdit.ExtraSelection()
        mark.format.setBackground(QColor(self._colours.highlight))  # type: ignore[attr-defined]
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)  # type: ignore[attr-defined]
        mark.cursor = self.text.textCursor()  # type: ignore[attr-defined]
        self.text.setExtraSelections([mark] if self._numbers else [])

    @Slot()
    def _on_cursor(self) -> None:
        self._mark_line()
        place = self.place.value
        if self._known is None or not isinstance(place, SourceLine) or self.line is None:
            return
        made = nodes_of_line(self._known, place.file, self.line)
        node = self._known.worst(made)
        if node is not None and self._node is not None and self._node.id not in made:
            self.node_chosen.emit(node)

    def _lay_out(self) -> None:
        self.note.setObjectName("faint")
        self.note.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        for part in (self.place, self.note):
            layout.addWidget(part)
        layout.addWidget(self.text, 1)


def code_text(name: str, parent: QWidget) -> QPlainTextEdit:
    """A field for code that can be read and copied, with a cursor for the keyboard."""
    text = QPlainTextEdit(parent)
    text.setObjectName("code")
    text.setAccessibleName(name)
    text.setReadOnly(True)
    text.setUndoRedoEnabled(False)
    text.setTabChangesFocus(True)
    text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    text.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return text


def nodes_of_line(known: StageInspection, file: str, line: int) -> tuple[str, ...]:
    """The ids of the nodes that a line made, directly or through what it calls."""
    here = (file, line)
    return tuple(node.id for node in known.graph.nodes if here in {(each.file, each.line) for each in node.source})


def line_signs(known: StageInspection, file: str) -> Mapping[int, str]:
    """For every line of a file that made nodes, the sign of the worst."""
    worst: dict[int, GraphNode] = {}
    for node in known.graph.nodes:
        for each in node.source:
            if each.file == file:
                kept = worst.setdefault(each.line, node)
                if severity(known.measurements.get(node.id)) > severity(known.measurements.get(kept.id)):
                    worst[each.line] = node
    measured = {line: known.measurements.get(node.id) for line, node in worst.items()}
    return {line: MADE if each is None else SIGNS[each.verdict] for line, each in measured.items()}
