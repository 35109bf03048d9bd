"""A line above the text about the file that is being saved: its name, progress, time left, and Cancel."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from app.speech.activity import Activity, SaveProgress
from app.theme import Colours
from app.widgets.notice_strip import NoticeStrip
from app.widgets.progress import show_fraction
from engine.system.durations import duration_words

BAR_WIDTH_PIXELS = 90
BAR_HEIGHT_PIXELS = 4


class SaveStrip(NoticeStrip):
    """Hidden while nothing is being saved."""

    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.setAccessibleName("Saving")
        self._save: SaveProgress | None = None
        self.bar = QProgressBar(self)
        self.bar.setObjectName("progress")
        self.bar.setAccessibleName("Progress of saving")
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(BAR_WIDTH_PIXELS, BAR_HEIGHT_PIXELS)
        self.cancel_button = QPushButton("Cancel", self)
        self.cancel_button.setAccessibleName("Cancel saving")
        self.cancel_button.clicked.connect(self.cancel_wanted)
        self.lay_out(self.bar, self.cancel_button)
        self.hide()

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """Show what is being saved, or nothing."""
        if activity.save == self._save:
            return
        self._save = activity.save
        if self._save is not None:
            self.label.setText(" · ".join(_words(self._save)))
            self.setAccessibleDescription(self.label.text())
            self.setToolTip(self.label.text())
            show_fraction(self.bar, self._save.fraction)
        self.setVisible(self._save is not None)

    def set_colours(self, colours: Colours) -> None:
        """Redraw the icon."""
        self.draw_symbol("save", colours.accent)


def _words(save: SaveProgress) -> Iterator[str]:
    yield f"Saving {save.name}"
    if save.step:
        yield save.step
    if save.seconds_left is not None:
        yield f"{duration_words(save.seconds_left)} left"
    book, waiting_count = save.interrupted, save.waiting_count
    if book is not None:
        yield f"{book.name} continues after that" + (f" at {book.fraction:.0%}" if book.fraction is not None else "")
        waiting_count -= 1
    if waiting_count:
        yield f"{waiting_count} more waiting"
