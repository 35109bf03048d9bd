"""The last line of the window: the current activity, its progress, and the length of the text."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.audio.player import Playback
from app.speech.activity import Activity, Readiness
from app.speech.progress_estimator import ProgressEstimator
from app.widgets.controls import announce, show_fraction, thin_bar
from app.widgets.elided_text import ElidedLabel
from engine.speech import PreparationEvent

PROGRESS_WIDTH_PIXELS = 140
SPACE_PIXELS = 12
NEWS_MS = 6000
TICK_MS = 500
LONG_CHARACTERS = 200_000
"""The minimum length of a long text; counting the words of this much text takes 3 ms."""
REST_MS = 300


class StatusLine(QWidget):
    """Describes the current activity; short news, such as a saved file, replaces it for a while."""

    def __init__(self, parent: QWidget | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self._clock = clock
        self._added: list[QWidget] = []
        self._activity = Activity()
        self._pace = ProgressEstimator(clock)
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        self.label = ElidedLabel(self)
        self.label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.label.setObjectName("statusText")
        self.label.setAccessibleName("Status")
        self.progress = thin_bar("Progress", self, PROGRESS_WIDTH_PIXELS)
        self.counter = QLabel(self)
        self.counter.setObjectName("faint")
        self.counter.setAccessibleName("Length of the text")
        self._news_timer = QTimer(self, singleShot=True, interval=NEWS_MS)
        self._news_timer.timeout.connect(self._show_activity)
        self._text = ""
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._count)
        self._lay_out()
        self._count()
        self._show_activity()

    @Slot(object)
    def show_activity(self, activity: Activity) -> None:
        """Show this activity; news stays for its time unless something starts."""
        starts = self._activity.idle and not activity.idle
        self._activity = activity
        self._note_pace(activity)
        if starts or not self._news_timer.isActive():
            self._news_timer.stop()
            self._show_activity()
        self._show_progress()
        self._make_room()

    def show_message(self, news: str) -> None:
        """Show this news for a while."""
        self._set_text(news)
        announce(self.label, news)
        self._news_timer.start()

    def add(self, widget: QWidget) -> None:
        """Add a feature's widget, before the length of the text."""
        layout = self.layout()
        assert isinstance(layout, QHBoxLayout)
        layout.insertWidget(layout.count() - 1, widget)
        self._added.append(widget)

    def count(self, text: str) -> None:
        """Show the length of the text; for a long one, once typing pauses rather than after each key."""
        self._text = text
        if len(text) > LONG_CHARACTERS:
            self._rest.start()
        else:
            self._rest.stop()
            self._count()

    def event(self, event: QEvent) -> bool:
        """Notice when a feature's widget becomes longer, appears or disappears."""
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._make_room()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the length of the text if there is no room for it."""
        super().resizeEvent(event)
        self._make_room()

    @Slot()
    def _count(self) -> None:
        words = _number(len(self._text.split()), "word")
        self.counter.setText(f"{words} · {_number(len(self._text), 'character')}")

    @Slot()
    def _show_activity(self) -> None:
        self._set_text(describe(self._activity, self._pace.words))

    @Slot()
    def _on_tick(self) -> None:
        """Show the progress of a long step, without replacing news early."""
        if not self._news_timer.isActive():
            self._show_activity()
        self._show_progress()

    def _note_pace(self, activity: Activity) -> None:
        if activity.readiness is not Readiness.PREPARING:
            self._tick.stop()
            return
        if not self._tick.isActive():
            self._pace = ProgressEstimator(self._clock)
            self._tick.start()
        event = activity.preparation
        if event is not None:
            self._pace.note(event.title, event.done, event.total)

    def _set_text(self, words: str) -> None:
        self.label.set_text(words)
        self._make_room()
        layout = self.layout()
        if layout is not None:
            layout.activate()  # so that the label has room for the text immediately

    def _make_room(self) -> None:
        """In a narrow window, hide the length of the text, which is less important than the activity."""
        words = self.label.sizeHint().width() + self.counter.sizeHint().width() + 2 * SPACE_PIXELS
        words += sum(each.sizeHint().width() + SPACE_PIXELS for each in self._added if not each.isHidden())
        needed = words if self.progress.isHidden() else words + PROGRESS_WIDTH_PIXELS + SPACE_PIXELS
        self.counter.setHidden(needed > self.width())

    def _show_progress(self) -> None:
        activity = self._activity
        preparing = activity.readiness is Readiness.PREPARING
        self.progress.setVisible(preparing or activity.making)
        if preparing:
            show_fraction(self.progress, self._pace.fraction)
        elif activity.making and activity.utterance_count:
            show_fraction(self.progress, activity.made_count / activity.utterance_count)
        else:
            show_fraction(self.progress, None)

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 4, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.label)
        layout.addWidget(self.progress)
        layout.addStretch(1)
        layout.addWidget(self.counter)


def describe(activity: Activity, time_left: str = "") -> str:
    """Describe the activity of the application in a few words; `time_left` is the time that a preparation takes."""
    doing = _doing(activity, time_left)
    return f"{doing} · {activity.fallback}" if activity.fallback else doing


def _doing(activity: Activity, time_left: str) -> str:
    if activity.playback is Playback.PLAYING and not activity.waiting:
        return "Playing"
    if activity.readiness is Readiness.PREPARING:
        return ", ".join(part for part in (_preparing(activity.preparation), time_left) if part)
    if activity.previewing:
        return "Previewing the voice"
    if activity.making:
        return _generating(activity)
    if activity.saving:
        return "Saving"
    if activity.readiness is Readiness.FAILED:
        return "Not ready"
    if activity.playback is Playback.PAUSED:
        return "Paused"
    return (
        f"Ready · {activity.device.fallback_reason}" if activity.device and activity.device.fallback_reason else "Ready"
    )


def _generating(activity: Activity) -> str:
    if not activity.utterance_count:
        return "Generating…"
    return f"Generating… {activity.made_count / activity.utterance_count:.0%}"


def _preparing(event: PreparationEvent | None) -> str:
    if event is None:
        return "Preparing"
    words = format_step(event)
    return f"Preparing: {words[:1].lower()}{words[1:]}"


def format_step(event: PreparationEvent) -> str:
    """Return a step and its number, if there are several, such as Compiling decoder, 5 of 7."""
    return f"{event.title}, {event.done} of {event.total}" if event.total > 1 else event.title


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
