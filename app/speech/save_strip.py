"""A line above the text about the file that is being saved: its name, progress, time left, and Cancel."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from app.speech.activity import Activity, SaveProgress
from app.speech.pace import Pace
from app.theme import Colours
from app.widgets.notice_strip import NoticeStrip
from app.widgets.progress import show_fraction
from engine.system.durations import duration_words

BAR_WIDTH_PIXELS = 90
BAR_HEIGHT_PIXELS = 4
TICK_MS = 500


class SaveStrip(NoticeStrip):
    """Hidden while nothing is being saved."""

    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.setAccessibleName("Saving")
        self._clock = clock
        self._save: SaveProgress | None = None
        self._pace = Pace(clock)
        self.bar = QProgressBar(self)
        self.bar.setObjectName("progress")
        self.bar.setAccessibleName("Progress of saving")
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(BAR_WIDTH_PIXELS, BAR_HEIGHT_PIXELS)
        self.cancel_button = QPushButton("Cancel", self)
        self.cancel_button.setAccessibleName("Cancel saving")
        self.cancel_button.clicked.connect(self.cancel_wanted)
        self.lay_out(self.bar, self.cancel_button)
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._show)
        self.hide()

    @Slot(object)
    def follow(self, activity: Activity) -> None:
        """Show what is being saved, or nothing."""
        save = activity.save
        if save == self._save:
            return
        if save is None:
            self._tick.stop()
        else:
            self._note(save)
        self._save = save
        self.setVisible(save is not None)

    def set_colours(self, colours: Colours) -> None:
        """Redraw the icon."""
        self.draw_symbol("save", colours.accent)

    def _note(self, save: SaveProgress) -> None:
        if self._save is None:
            self._pace = Pace(self._clock)
            self._tick.start()
        self._pace.note(f"{save.name} {save.step}", save.made_count, save.utterance_count)
        self._save = save
        self._show()

    @Slot()
    def _show(self) -> None:
        if self._save is None:
            return
        self.label.setText(" · ".join(self._words(self._save)))
        self.setAccessibleDescription(self.label.text())
        self.setToolTip(self.label.text())
        made = self._pace.fraction if self._save.utterance_count else None
        show_fraction(self.bar, self._save.fraction if self._save.step else made)

    def _words(self, save: SaveProgress) -> Iterator[str]:
        made = f", {save.made_count} of {save.utterance_count}" if save.utterance_count else ""
        yield f"Saving {save.name}{made}"
        if save.step:
            yield save.step
        if save.seconds_left is not None:
            yield f"{duration_words(save.seconds_left)} left"
        elif self._pace.words:
            yield self._pace.words
        if save.waiting_count:
            yield f"{save.waiting_count} more waiting"
