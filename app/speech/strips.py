"""Bars above the text, for saving files and for models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from app.speech.activity import Activity, SaveProgress
from app.system.desktop import REVEAL_TITLE
from app.theme import icon
from app.widgets.controls import announce, icon_button, show_fraction, thin_bar
from app.widgets.message_banner import NoticeBar
from engine.system.durations import format_approximate_duration

BAR_WIDTH_PIXELS = 90
MAX_ANSWERS = 2


class SaveBar(NoticeBar):
    """The bar for saving: shows a save in progress, else saved files until dismissed, else an interrupted export.

    `reveal_requested` carries the path of the file saved last.
    """

    cancel_requested = Signal()
    reveal_requested = Signal(object)
    resume_requested = Signal()
    discard_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.setAccessibleName("Saving")
        self._save: SaveProgress | None = None
        self._saved: list[Path] = []
        self._interrupted = ""
        self.bar = thin_bar("Saving progress", self, BAR_WIDTH_PIXELS)
        self.cancel_button = QPushButton("Cancel", self)
        self.cancel_button.setAccessibleName("Cancel saving")
        self.reveal_button = QPushButton(REVEAL_TITLE, self)
        self.resume_button = QPushButton("Resume", self)
        self.resume_button.setAccessibleName("Resume the export")
        self.discard_button = QPushButton("Discard", self)
        self.discard_button.setAccessibleName("Discard the export")
        self.close_button = icon_button("Dismiss message about saving", icon("close", "faint"), self, "Dismiss")
        self.symbol.show_icon(icon("save", "accent"))
        self._connect()
        self.lay_out(
            self.bar, self.cancel_button, self.reveal_button, self.resume_button, self.discard_button, self.close_button
        )
        self._show()

    @Slot(object)
    def show_activity(self, activity: Activity) -> None:
        """Show the save in progress, or its result."""
        if activity.save == self._save:
            return
        if self._save is None:
            self._saved = []
        self._save = activity.save
        self._show()

    def show_saved(self, path: Path) -> None:
        """Report a file or folder that was saved, once no save is in progress."""
        self._saved.append(path)
        self._show()

    def offer_resume(self, name: str) -> None:
        """Offer to resume an interrupted export; an empty name withdraws the offer."""
        self._interrupted = name
        self._show()

    def _connect(self) -> None:
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.reveal_button.clicked.connect(self._on_reveal)
        self.resume_button.clicked.connect(self.resume_requested)
        self.discard_button.clicked.connect(self.discard_requested)
        self.close_button.clicked.connect(self._on_close)

    @Slot()
    def _show(self) -> None:
        saving = self._save is not None
        saved = bool(self._saved) and not saving
        interrupted = bool(self._interrupted) and not saving and not saved
        for shown, widgets in (
            (saving, (self.bar, self.cancel_button)),
            (saved, (self.reveal_button, self.close_button)),
            (interrupted, (self.resume_button, self.discard_button)),
        ):
            for widget in widgets:
                widget.setVisible(shown)
        self._set_text(" · ".join(self._words()))
        if self._save is not None:
            show_fraction(self.bar, self._save.fraction)
        self.setVisible(saving or saved or interrupted)

    def _set_text(self, words: str) -> None:
        if words == self.label.text():
            return
        self.label.setText(words)
        self.setAccessibleDescription(words)
        self.setToolTip(str(self._saved[-1]) if self._saved and self._save is None else words)
        if words and self._save is None:
            announce(self, words)

    def _words(self) -> Iterator[str]:
        if self._save is not None:
            yield from _words_while(self._save)
        elif self._saved:
            last = self._saved[-1]
            others = f" and {len(self._saved) - 1} more" if self._saved[1:] else ""
            yield f"Saved {last.name}{others} in {last.parent.name or last.parent}"
        elif self._interrupted:
            yield f"The export of “{self._interrupted}” was interrupted."

    @Slot()
    def _on_reveal(self) -> None:
        if self._saved:
            self.reveal_requested.emit(self._saved[-1])

    @Slot()
    def _on_close(self) -> None:
        self._saved = []
        self._show()


def _words_while(save: SaveProgress) -> Iterator[str]:
    yield f"Saving {save.name}"
    if save.step:
        yield save.step
    if save.seconds_left is not None:
        yield f"{format_approximate_duration(save.seconds_left)} left"
    book, waiting_count = save.interrupted, save.waiting_count
    if book is not None:
        yield f"{book.name} continues after that" + (f" at {book.fraction:.0%}" if book.fraction is not None else "")
        waiting_count -= 1
    if waiting_count:
        yield f"{waiting_count} more in queue"


class Answer(Enum):
    """The user's possible answers; the value is the button's title."""

    NOT_NOW = "Not Now"
    FETCH = "Download"
    CANCEL = "Cancel"
    USE = "Use Now"
    GO_BACK = "Use Previous Voice"
    CHOOSE_VOICE = "Choose a Voice"
    TRY_AGAIN = "Try Again"
    CLOSE = "Dismiss"


@dataclass(frozen=True)
class ModelNotice:
    """A sentence about a model, and up to two answers; it can be dismissed if CLOSE is among `answers`.

    While something is `going_on`, a bar shows the `fraction` done, or that it is unknown.
    """

    text: str
    model: str
    answers: tuple[Answer, ...] = ()
    going_on: bool = False
    fraction: float | None = None


class ModelBar(NoticeBar):
    """Shows one notice at a time; hidden while there is none. `answered` carries the `ModelNotice` and the `Answer`."""

    answered = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.setAccessibleName("Model")
        self._notice: ModelNotice | None = None
        self.bar = thin_bar("Progress of the model", self, BAR_WIDTH_PIXELS)
        self.buttons = tuple(QPushButton(self) for _ in range(MAX_ANSWERS))
        close = icon("close", "faint")
        self.close_button = icon_button("Dismiss model notification", close, self, Answer.CLOSE.value)
        self.symbol.show_icon(icon("save", "accent"))
        self.lay_out(self.bar, *self.buttons, self.close_button)
        for button in self.buttons:
            button.clicked.connect(self._on_button)
            button.hide()
        self.close_button.clicked.connect(self._on_close)
        self.hide()

    @property
    def notice(self) -> ModelNotice | None:
        """The notice on display."""
        return self._notice

    def button(self, answer: Answer) -> QPushButton:
        """Return the visible button of this answer; raises `KeyError`."""
        return {button.text(): button for button in self.buttons if not button.isHidden()}[answer.value]

    def show_notice(self, notice: ModelNotice | None) -> None:
        """Show this notice, or hide the bar."""
        if notice == self._notice:
            return
        self._notice = notice
        if notice is not None:
            self._fill(notice)
        self.setVisible(notice is not None)

    def _fill(self, notice: ModelNotice) -> None:
        self.label.setText(notice.text)
        self.setAccessibleDescription(notice.text)
        self.bar.setVisible(notice.going_on)
        show_fraction(self.bar, notice.fraction if notice.going_on else 0)
        titles = [answer.value for answer in notice.answers if answer is not Answer.CLOSE]
        for number, button in enumerate(self.buttons):
            button.setVisible(number < len(titles))
            button.setText(titles[number] if number < len(titles) else "")
        self.close_button.setVisible(Answer.CLOSE in notice.answers)

    @Slot()
    def _on_button(self) -> None:
        button = self.sender()
        assert isinstance(button, QPushButton)
        self.answered.emit(self._notice, Answer(button.text()))

    @Slot()
    def _on_close(self) -> None:
        self.answered.emit(self._notice, Answer.CLOSE)
