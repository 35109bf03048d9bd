"""The menu in which people choose what predicts the prosody of the model that speaks."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from app.main_window import MainWindow
from app.settings import Settings
from app.speech.voice_choice import prosody_of
from engine.speech import Prosody

TITLES = {Prosody.LSTM: "LSTMs, as Published", Prosody.TRANSFORMER: "Transformer"}
MEANINGS = {
    Prosody.LSTM: "The model’s own LSTMs predict durations, pitch and energy, one step after the other.",
    Prosody.TRANSFORMER: "A Transformer, taught by the LSTMs, predicts them for all steps at once.",
}
NEWS = {
    Prosody.LSTM: "LSTMs predict the prosody from now on",
    Prosody.TRANSFORMER: "A Transformer predicts the prosody from now on",
}


class ProsodyMenu(QObject):
    """Part of the menu of speech; `changed` is emitted when another prosody should speak.

    The wish counts for every model that has a Transformer; what is ticked is what the one that speaks does.
    """

    changed = Signal()

    def __init__(self, window: MainWindow, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window = window
        self._settings = settings
        self._voices = window.page.header.voices
        self.menu = QMenu("Prosody", window.menu)
        self.menu.setToolTipsVisible(True)
        self.actions = QActionGroup(self)
        for prosody, title in TITLES.items():
            self.actions.addAction(self._made(prosody, title))
        self.menu.addActions(self.actions.actions())
        window.menu.speech_menu.insertMenu(window.menu.models, self.menu)
        self.actions.triggered.connect(self._on_chosen)
        self._voices.listed.connect(self.refresh)
        self._voices.model_changed.connect(self.refresh)
        self.refresh()

    @property
    def prosody(self) -> Prosody:
        """What predicts the prosody of the model that speaks."""
        return prosody_of(self._voices.speaking_model, self._voices.models, self._settings.prosody)

    @Slot()
    def refresh(self) -> None:
        """Offer what the model that speaks has, and tick what it does."""
        speaking = self._voices.speaking_model
        obstacle = next((each.students_obstacle for each in self._voices.models if each.model == speaking), "")
        self.menu.setEnabled(self._voices.known)
        for action in self.actions.actions():
            prosody = Prosody(action.data())
            forbidden = obstacle if prosody is Prosody.TRANSFORMER else ""
            action.setEnabled(not forbidden)
            action.setToolTip(forbidden or MEANINGS[prosody])
            action.setChecked(prosody is self.prosody)

    @Slot(QAction)
    def _on_chosen(self, action: QAction) -> None:
        prosody = Prosody(action.data())
        if prosody is self.prosody:
            return
        self._settings.prosody = prosody
        self._window.page.status.tell(NEWS[prosody])
        self.changed.emit()

    def _made(self, prosody: Prosody, title: str) -> QAction:
        action = QAction(title, self.menu)
        action.setCheckable(True)
        action.setData(str(prosody))
        return action
