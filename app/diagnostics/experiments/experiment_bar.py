"""Starts and stops one experiment, and says how far it is and how long it will still take."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from app.widgets.elided_text import ElidedLabel
from app.widgets.progress import show_fraction
from engine.speech import PreparationEvent
from engine.validator.data import wording
from engine.validator.data.experiments import ProgressEvent, ServiceEvent

SPACE_PIXELS = 8
PROGRESS_WIDTH_PIXELS = 90
PROGRESS_HEIGHT_PIXELS = 4
CANCEL = "Cancel"
STARTING = "Starting the reference…"


class ExperimentBar(QWidget):
    """A button that starts, and cancels while something is in progress; a progress bar; a line of words."""

    start_wanted = Signal()
    cancel_wanted = Signal()

    def __init__(self, start: str, explanation: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._start = start
        self._explanation = explanation
        self._running = False
        self.button = QPushButton(self)
        self.button.setObjectName("panelButton")
        self.words = ElidedLabel(self)
        self.words.setObjectName("faint")
        self.words.setAccessibleName(f"{start}: state")
        self.progress = QProgressBar(self)
        self.progress.setObjectName("progress")
        self.progress.setAccessibleName(f"{start}: progress")
        self.progress.setTextVisible(False)
        self.progress.setFixedSize(PROGRESS_WIDTH_PIXELS, PROGRESS_HEIGHT_PIXELS)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(SPACE_PIXELS)
        for part in (self.button, self.progress):
            self._layout.addWidget(part)
        self._layout.addWidget(self.words, 1)
        self.button.clicked.connect(self._on_button)
        self.end(explanation)

    @property
    def running(self) -> bool:
        """Whether the experiment is in progress."""
        return self._running

    def begin(self) -> None:
        """Something is in progress."""
        self._show(True)
        self.words.say(STARTING)
        show_fraction(self.progress, None)

    def take(self, event: ServiceEvent) -> None:
        """Show how far it is."""
        if isinstance(event, PreparationEvent):
            self.words.say(f"{event.title}…")
            show_fraction(self.progress, None)
        elif isinstance(event, ProgressEvent):
            self.words.say(wording.progress(event))
            show_fraction(self.progress, event.done / event.total)

    @Slot(str)
    def end(self, words: str) -> None:
        """Nothing is in progress any more; the words say what came of it."""
        self._show(False)
        self.words.say(words)

    def _show(self, running: bool) -> None:
        self._running = running
        self.progress.setVisible(running)
        self.button.setText(CANCEL if running else self._start)
        self.button.setAccessibleName(self.button.text())
        self.button.setToolTip("Stop it" if running else self._explanation)

    @Slot()
    def _on_button(self) -> None:
        (self.cancel_wanted if self._running else self.start_wanted).emit()
