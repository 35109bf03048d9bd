"""The strip that marks a drill, says what was planted once it was looked for, and ends it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.diagnostics.faults.drill_words import change_words, drill_words
from app.diagnostics.runs.run import DiagnosticsRun
from app.theme import LIGHT, Colours
from app.widgets.notice_strip import NoticeStrip

SYMBOL = "warning"
WIDE_PIXELS = 700
"""In a narrower strip the changed lines are cut off to nothing, and take the room of the list of stages."""


class DrillStrip(NoticeStrip):
    """Hidden while the run that is shown is no drill; `hear_wanted` asks for the waveform with the fault."""

    remove_wanted = Signal()
    hear_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self.setProperty("tone", SYMBOL)
        self.setAccessibleName("Drill")
        self._colours = LIGHT
        self._run: DiagnosticsRun | None = None
        self._said_last = False
        self.change = QLabel(self)
        self.change.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.change.setTextFormat(Qt.TextFormat.PlainText)
        self.change.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.change.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.change.setAccessibleName("What was changed in the kernel")
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.hear_button = QPushButton("Hear It", self)
        self.hear_button.setToolTip("Play the speech of the compiled model with the fault")
        self.remove_button = QPushButton("Remove the Fault", self)
        self.remove_button.setToolTip("End the drill and compare the compiled model as it is")
        for button in (self.hear_button, self.remove_button):
            button.setAutoDefault(False)
        self.hear_button.clicked.connect(self.hear_wanted)
        self.remove_button.clicked.connect(self.remove_wanted)
        self._lay_out()
        self.hide()

    def show_run(self, run: DiagnosticsRun | None) -> None:
        """Mark this run if it is a drill, and say what was planted once it is over."""
        if run is self._run and (run is None or not run.active) and self._said_last:
            return  # all rows are looked through to say it
        self._run, self._said_last = run, run is None or not run.active
        words = drill_words(run) if run is not None else ""
        change = change_words(run) if run is not None else ""
        if words != self.label.text():
            self.label.setText(words)
            self.setAccessibleDescription(words)
        self.change.setText(change)
        self.label.setToolTip(change)
        self._show_change()
        self.setVisible(bool(words))

    def offer_sound(self, there_is_one: bool) -> None:
        """Whether there is a waveform to hear."""
        self.hear_button.setEnabled(there_is_one)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the changed lines where they can be read; the sentence has them as its tool tip."""
        super().resizeEvent(event)
        self._show_change()

    def set_colours(self, colours: Colours) -> None:
        """Redraw the symbol."""
        self.draw_symbol(SYMBOL, colours.warning)
        self.style().polish(self)

    def _show_change(self) -> None:
        self.change.setVisible(bool(self.change.text()) and self.width() >= WIDE_PIXELS)

    def _lay_out(self) -> None:
        words, buttons = QWidget(self), QWidget(self)
        column, line = QVBoxLayout(words), QVBoxLayout(buttons)
        for layout in (column, line):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(4)
        self.lay_out(words, buttons)
        column.addWidget(self.label)
        column.addWidget(self.change)
        line.addWidget(self.hear_button)
        line.addWidget(self.remove_button)
        line.addStretch(1)
