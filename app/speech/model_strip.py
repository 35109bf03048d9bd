"""A line above the text about a model that is offered, on its way, or ready; it interrupts nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from app.icons import icon
from app.widgets.action_button import icon_button
from app.widgets.message_banner import NoticeStrip
from app.widgets.progress import show_fraction, thin_bar

BAR_WIDTH_PIXELS = 90
MOST_ANSWERS = 2


class Answer(Enum):
    """What the user can answer; the value is the button's title."""

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


class ModelStrip(NoticeStrip):
    """Shows one notice at a time; hidden while there is none. `answered` carries the `ModelNotice` and the `Answer`."""

    answered = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.setAccessibleName("Model")
        self._notice: ModelNotice | None = None
        self.bar = thin_bar("Progress of the model", self, BAR_WIDTH_PIXELS)
        self.buttons = tuple(QPushButton(self) for _ in range(MOST_ANSWERS))
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
        """What is shown now."""
        return self._notice

    def button(self, answer: Answer) -> QPushButton:
        """The visible button of this answer; raises `KeyError`."""
        return {button.text(): button for button in self.buttons if not button.isHidden()}[answer.value]

    def show_notice(self, notice: ModelNotice | None) -> None:
        """Show this, or nothing."""
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
