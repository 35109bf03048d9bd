"""One kernel in detail: metrics and links, its Python source, its TIR, and possible replacements."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QColor, QFontDatabase, QShowEvent, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTabWidget,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.diagnostics.colors import ColorTone, FollowsTheme
from app.diagnostics.figures import FiguresView
from app.diagnostics.kernels.inspection import SIGNS, StageInspection, figures_of, severity
from app.theme import colors
from app.widgets.controls import ComboBox
from engine.system.paths import project_folder
from engine.validator.data.results import Replacement, Substitute
from engine.validator.inspection.results import GraphNode, NodeKind, SourceLine

SPACE_PIXELS = 4
CHOOSE = "Choose a kernel in the list or the source."
NO_SOURCE = "No source line is known for this kernel."
NO_CODE = "The kernel’s code appears when all kernels of the stage have been measured."
NOT_HERE = "{file} isn’t part of Kokoro Desk; only the lines below are known."
MAX_BYTES = 1 << 20
NUMBER_DIGITS = 4
MADE = "·"
"""Marks a line that created a node without a measurement."""
TIR = "TIR"
"""Stands for the code of the kernel instead of a line of Python."""
PLACE_TOOL_TIP = "The call that produced this kernel, its context, and the compiled code"
REPLACE = "Replace"
REPLACE_TOOL_TIP = "Replace its computation and compare the result as a new run"


class KernelDetails(QTabWidget):
    """The details of a kernel; `node_chosen` carries the ID of a node selected by its source line or a link."""

    node_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: StageInspection | None = None
        self._node: GraphNode | None = None
        self.figures = FiguresView("Kernel figures", self)
        self.source = SourceView(self)
        self.setObjectName("kernelDetails")
        self.setAccessibleName("Kernel details")
        self.setDocumentMode(True)
        self.tabBar().setObjectName("sideTabs")
        self.tabBar().setAccessibleName("Kernel details")
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
        """Show the current results for the node."""
        self._show_figures()
        self.source.refresh()

    def _show_figures(self) -> None:
        """Show the kernel's computation, error, time and neighbors, with its finding on top."""
        known, node = self._known, self._node
        if known is None or node is None:
            self.figures.show_figures(CHOOSE, ColorTone.PLAIN, ())
            return
        neighbors = (("Reads", known.read_by(node.id)), ("Read by", known.readers_of(node.id)))
        links = [(name, tuple((each.id, each.label) for each in nodes)) for name, nodes in neighbors if nodes]
        found = " ".join(each.words for each in known.findings or () if each.node == node.id)
        figures = figures_of(node, known.measurements.get(node.id))
        self.figures.show_figures(found, ColorTone.ERROR, (*figures, *links))


class SourceView(FollowsTheme, QWidget):
    """The source of a kernel; `node_chosen` carries the ID of the worst node that the selected line created."""

    node_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: StageInspection | None = None
        self._node: GraphNode | None = None
        self._numbers: tuple[int, ...] = ()
        self._written: tuple[object, ...] = ()
        self.place = ComboBox("Code", PLACE_TOOL_TIP, 16, self)
        self.replace = ReplaceButton(self)
        self.outcome = QLabel(self)
        self.note = QLabel(self)
        self.text = QPlainTextEdit(self)
        self._lay_out()
        self.place.chosen.connect(self._show_place)
        self.text.cursorPositionChanged.connect(self._on_cursor)

    @property
    def line(self) -> int | None:
        """The line number of the cursor."""
        block = self.text.textCursor().blockNumber()
        return self._numbers[block] if block < len(self._numbers) else None

    def show_node(self, stage: str | None, known: StageInspection | None, node: GraphNode | None) -> None:
        """Show the source lines of a node."""
        self._known, self._node = known, node
        self.replace.show_node(stage, node)
        lines = node.source if node is not None else ()
        offered = [(line, f"{line.file}:{line.line}", line.text) for line in lines]
        if node is not None and node.kernel:
            offered.append((TIR, f"{TIR} of {node.kernel}", node.schedule))  # type: ignore[arg-type]
        kept = self.place.value
        self.place.offer(offered)
        self.place.choose(kept)
        self.place.setVisible(bool(offered))
        self.refresh()

    def refresh(self) -> None:
        """Mark lines with the current verdicts of their kernels; if hidden, when next shown."""
        if self.isVisible():
            self._show_place()

    def showEvent(self, event: QShowEvent) -> None:
        """Mark lines with the current verdicts of their kernels."""
        super().showEvent(event)
        self._show_place()

    def set_text(self, words: str) -> None:
        """Show the outcome of a replacement."""
        self.outcome.setText(words)
        self.outcome.setVisible(bool(words))

    def restyle(self) -> None:
        """Mark the line in the color of the theme."""
        self._mark_line()

    @Slot()
    def _show_place(self) -> None:
        place, node = self.place.value, self._node
        if self._known is not None and node is not None and place == TIR:
            code = self._known.codes.get(node.kernel)
            self._write(code.tir if code is not None else NO_CODE, (), node.schedule)
            self._mark_line()
        elif self._known is None or not isinstance(place, SourceLine):
            self._write("", (), NO_SOURCE if node is not None else "")
        else:
            self._show_line(self._known, place)

    def _show_line(self, known: StageInspection, place: SourceLine) -> None:
        text = source_text(place.file)
        if text is None:
            found = known_lines(place.file, (each for node in known.graph.nodes for each in node.source))
            note = NOT_HERE.format(file=place.file)
        else:
            found, note = dict(enumerate(text.splitlines(), start=1)), ""
        signs = line_signs(known, place.file)
        lines = (f"{signs.get(number, ' ')}{number:>{NUMBER_DIGITS}}  {line}" for number, line in found.items())
        self._write("\n".join(lines), tuple(found), note)
        if place.line in self._numbers and place.line != self.line:
            cursor = QTextCursor(self.text.document().findBlockByNumber(self._numbers.index(place.line)))
            blocked = self.text.blockSignals(True)
            self.text.setTextCursor(cursor)
            self.text.centerCursor()
            self.text.blockSignals(blocked)
        self._mark_line()

    def _write(self, text: str, numbers: tuple[int, ...], note: str) -> None:
        self.note.setText(note)
        self.note.setVisible(bool(note))
        if (text, numbers) != self._written:
            self._written = (text, numbers)
            blocked = self.text.blockSignals(True)
            self.text.setPlainText(text)
            self.text.blockSignals(blocked)
            self._numbers = numbers

    def _mark_line(self) -> None:
        mark = QTextEdit.ExtraSelection()
        mark.format.setBackground(QColor(colors().highlight))  # type: ignore[attr-defined]
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
        self.outcome.setAccessibleName("Result of the replacement")
        for label in (self.outcome, self.note):
            label.setObjectName("faint")
            label.setWordWrap(True)
        self.set_text("")
        text = self.text
        text.setObjectName("code")
        text.setAccessibleName("Kernel code")
        text.setReadOnly(True)
        text.setUndoRedoEnabled(False)
        text.setTabChangesFocus(True)
        text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        top, layout = QHBoxLayout(), QVBoxLayout(self)
        top.addWidget(self.place, 1)
        top.addWidget(self.replace, alignment=Qt.AlignmentFlag.AlignRight)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addLayout(top)
        for label in (self.outcome, self.note):
            layout.addWidget(label)
        layout.addWidget(text, 1)


class ReplaceButton(QPushButton):
    """A menu of replacements for a kernel or a stage.

    `replacements_requested` carries all enabled `Replacement`s, of all stages, and none when the last is disabled. They
    belong to one run: `forget` disables all.
    """

    replacements_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(REPLACE, parent)
        self.setObjectName("panelButton")
        self.setAccessibleName(REPLACE)
        self.setToolTip(REPLACE_TOOL_TIP)
        self._stage: str | None = None
        self._node: GraphNode | None = None
        self.replacements: tuple[Replacement, ...] = ()
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        self.setMenu(menu)
        self.plain_loops, self.kernel_in_pytorch, self.stage_in_pytorch = (
            self._switch(menu, *words)
            for words in (
                (
                    "This Call of the Kernel Without Its Schedule",
                    "Run the kernel’s TIR as plain loops. If the result is right, the fault is in the schedule",
                ),
                (
                    "This Call of the Kernel in PyTorch",
                    "Compute it in PyTorch. If everything after it is then right, it is the only fault",
                ),
                (
                    "This Stage in PyTorch",
                    "Compute the whole stage in PyTorch. If the speech is then right, the fault is in this stage",
                ),
            )
        )
        self.show_node(None, None)

    def show_node(self, stage: str | None, node: GraphNode | None) -> None:
        """Offer to replace this node's kernel, or this stage."""
        self._stage, self._node = stage, node
        for switch, replacement in self._offered().items():
            switch.setEnabled(replacement is not None)
            switch.setChecked(replacement in self.replacements)
        self.setEnabled(stage is not None)
        self.setText(f"{REPLACE} ({len(self.replacements)})" if self.replacements else REPLACE)

    def forget(self) -> None:
        """Disable everything, without a signal."""
        self.replacements = ()
        self.show_node(self._stage, self._node)

    def _switch(self, menu: QMenu, title: str, tool_tip: str) -> QAction:
        switch = QAction(title, menu, checkable=True)
        switch.setToolTip(tool_tip)
        switch.triggered.connect(self._on_switch)
        menu.addAction(switch)
        return switch

    def _offered(self) -> dict[QAction, Replacement | None]:
        stage, node = self._stage, self._node
        kernel = None if stage is None or node is None or node.kind is not NodeKind.KERNEL else node.id
        whole = None if stage is None else Replacement(stage, None, Substitute.PYTORCH)
        return {
            self.plain_loops: Replacement(stage or "", kernel, Substitute.PLAIN_LOOPS) if kernel else None,
            self.kernel_in_pytorch: Replacement(stage or "", kernel, Substitute.PYTORCH) if kernel else None,
            self.stage_in_pytorch: whole,
        }

    @Slot()
    def _on_switch(self) -> None:
        for switch, replacement in self._offered().items():
            if replacement is not None and switch.isChecked() != (replacement in self.replacements):
                kept = tuple(each for each in self.replacements if not _exclude(each, replacement))
                self.replacements = (*kept, replacement) if switch.isChecked() else kept
                break
        self.show_node(self._stage, self._node)
        self.replacements_requested.emit(self.replacements)


def _exclude(one: Replacement, other: Replacement) -> bool:
    """Return whether two replacements conflict: the same place replaced twice, or a stage and a part of it."""
    return one.stage == other.stage and (one.node == other.node or one.node is None or other.node is None)


def source_text(file: str, folders: Sequence[Path] | None = None) -> str | None:
    """Return the text of a file given relative to the project or to a package folder; None if missing or not text."""
    everywhere = (project_folder(), *(Path(entry) for entry in sys.path if entry))
    for folder in everywhere if folders is None else folders:
        path = (folder / file).resolve()
        if path.suffix != ".py" or not path.is_relative_to(folder.resolve()):
            continue
        try:
            if path.stat().st_size <= MAX_BYTES:
                return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
    return None


def known_lines(file: str, lines: Iterable[SourceLine]) -> dict[int, str]:
    """Return the known lines of a file that is not available, by their numbers."""
    return {line.line: line.text for line in sorted(lines, key=lambda line: line.line) if line.file == file}


def nodes_of_line(known: StageInspection, file: str, line: int) -> tuple[str, ...]:
    """Return the IDs of the nodes that a line created, directly or through a call."""
    here = (file, line)
    return tuple(node.id for node in known.graph.nodes if here in {(each.file, each.line) for each in node.source})


def line_signs(known: StageInspection, file: str) -> Mapping[int, str]:
    """Return the sign of the worst node for every line of a file that created nodes."""
    worst: dict[int, GraphNode] = {}
    for node in known.graph.nodes:
        for each in node.source:
            if each.file == file:
                kept = worst.setdefault(each.line, node)
                if severity(known.measurements.get(node.id)) > severity(known.measurements.get(kept.id)):
                    worst[each.line] = node
    measured = {line: known.measurements.get(node.id) for line, node in worst.items()}
    return {line: MADE if each is None else SIGNS[each.verdict] for line, each in measured.items()}
