"""A combo box of the voices of all models, grouped by model and language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QWidget

from app.speech.voice_choice import VoiceChoice, insisted, listed, voice_info
from app.speech.voice_list import CHOICE_ROLE, Mark, VoiceDelegate, VoiceListModel
from app.widgets.elided_text import ElidedComboBox
from engine.models.voices.packs import describe
from engine.speech import STARTER

if TYPE_CHECKING:
    from engine.models.installed_voices import ModelVoices

MIN_WIDTH_PIXELS = 120
FINDING, CHOOSING = "Finding voices…", "Choose a voice"
EXPLANATION = "Voice; right-click to preview it"


class VoicePicker(ElidedComboBox):
    """A combo box for the voice, which also determines the model.

    `voice_chosen` carries the `VoiceChoice` when the user chooses a different voice, `model_changed` the name of the
    chosen voice's model when it changes, `preview_requested` the `VoiceInfo` of the chosen voice to preview,
    `hear_requested` the `VoiceChoice` whose play mark in the list was clicked; `listed` is emitted when the list of
    voices has changed.
    """

    voice_chosen = Signal(object)
    model_changed = Signal(str)
    preview_requested = Signal(object)
    hear_requested = Signal(object)
    listed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = VoiceListModel(self)
        self._models: tuple[ModelVoices, ...] = ()
        self._favorites: tuple[VoiceChoice, ...] = ()
        self._default_model = STARTER
        self._wanted = VoiceChoice()
        self._asked_for = VoiceChoice()
        self._told_model: str | None = None
        self.setModel(self._rows)
        self._delegate = VoiceDelegate(self)
        self.setItemDelegate(self._delegate)
        self.view().viewport().installEventFilter(self)
        self.setAccessibleName("Voice")
        self.setPlaceholderText(FINDING)
        self.setToolTip(EXPLANATION)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        hear = QAction("Preview This Voice", self)
        hear.triggered.connect(self.preview)
        self.addAction(hear)
        self.setMinimumContentsLength(14)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMaxVisibleItems(20)
        self.setEnabled(False)
        self.activated.connect(self._on_activated)

    @property
    def choice(self) -> VoiceChoice:
        """The voice and its model; empty until the voices are known."""
        if not self._models:
            return VoiceChoice()
        if self._asked_for != VoiceChoice():
            return insisted(self._asked_for, self._models, self._listed())
        return self._listed()

    @property
    def voice(self) -> str | None:
        """The name of the chosen voice; None until the voices are known, or if the requested model is missing."""
        return self.choice.voice

    @property
    def speaking_model(self) -> str:
        """The model in use; the bundled one until the voices are known."""
        return self.choice.model or STARTER

    @property
    def known(self) -> bool:
        """True once the voices are known."""
        return bool(self._models)

    @property
    def untouched(self) -> bool:
        """True if neither the user nor the command line has ever chosen a voice or a model."""
        return self._wanted == self._asked_for == VoiceChoice()

    @property
    def models(self) -> tuple[ModelVoices, ...]:
        """The usable models, best first."""
        return self._models

    def choose(self, choice: VoiceChoice) -> None:
        """Select a voice, now or once it is listed; if it is missing then, the nearest listed one is used."""
        self._wanted, self._asked_for = choice, VoiceChoice()
        self._select()

    def ask_for(self, choice: VoiceChoice) -> None:
        """Insist on a voice or a model, so that a missing one is an error instead of being replaced."""
        self._asked_for = choice
        self._select()

    def choose_model(self, model: str) -> None:
        """Choose, for the user, the voice of the same name in this model if it has one, else its first."""
        self.choose_voice(insisted(VoiceChoice(model=model), self._models, self._listed()))

    def choose_voice(self, choice: VoiceChoice) -> None:
        """Choose a voice for the user."""
        self.choose(choice)
        self.voice_chosen.emit(choice)

    def take_over(self, model: str) -> None:
        """Use this model with its first voice, unless the user has chosen something."""
        self._default_model = model
        self._select()

    def show_models(self, models: Sequence[ModelVoices], default_model: str) -> None:
        """List the voices of these models and keep the selection.

        If nothing was ever chosen, the first voice of the default model is selected when that model is first known.
        """
        if not self._models:
            self._default_model = default_model
        self._models = tuple(models)
        self._rows.show(self._models, self._favorites)
        if self._wanted != VoiceChoice():
            self._wanted = self._listed()  # a missing voice does not come back by itself later
        self.setPlaceholderText(CHOOSING)
        self.setEnabled(bool(self._models))
        self._select()
        self.listed.emit()

    def show_favorites(self, favorites: Sequence[VoiceChoice]) -> None:
        """List these voices first."""
        self._favorites = tuple(favorites)
        self._rows.show(self._models, self._favorites)
        self._select()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Preview a voice when its play mark is clicked, keeping the list open."""
        if not isinstance(event, QMouseEvent) or event.button() is not Qt.MouseButton.LeftButton:
            return super().eventFilter(watched, event)
        choice = self._choice_marked(event.position().toPoint())
        if choice is None:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.MouseButtonRelease:
            self.hear_requested.emit(choice)
        return True

    def _choice_marked(self, position: QPoint) -> VoiceChoice | None:
        """Return the voice whose play mark is at this position."""
        index = self.view().indexAt(position)
        mark = self._delegate.mark_at(self.view().visualRect(index), position.x()) if index.isValid() else None
        return index.data(CHOICE_ROLE) if mark is Mark.PLAY else None

    def minimumSizeHint(self) -> QSize:
        """Return a small width, which is enough since the title can be elided."""
        return QSize(MIN_WIDTH_PIXELS, super().minimumSizeHint().height())

    def showPopup(self) -> None:
        """Open the list with the chosen voice and its headings in view."""
        super().showPopup()
        self.view().scrollTo(self.view().currentIndex(), QAbstractItemView.ScrollHint.PositionAtCenter)

    @Slot()
    def preview(self) -> None:
        """Request a sentence in the selected voice."""
        choice = self.choice
        if choice.voice is not None:
            self.preview_requested.emit(voice_info(choice, self._models) or describe(choice.voice))

    def _listed(self) -> VoiceChoice:
        return listed(self._wanted, self._models, self._default_model)

    def _select(self) -> None:
        """Show the choice, and emit `model_changed` if its model has changed."""
        choice = self.choice
        self._rows.mark(choice)
        row = self._rows.row_of(choice)
        self.setCurrentIndex(row)
        details = self.itemData(row, int(Qt.ItemDataRole.ToolTipRole)) if row >= 0 else None
        self.setToolTip(f"{details}\n{EXPLANATION}" if details else EXPLANATION)
        if choice.model is not None and choice.model != self._told_model:
            self._told_model = choice.model
            self.model_changed.emit(choice.model)

    def _on_activated(self, row: int) -> None:
        self.choose_voice(self.itemData(row, CHOICE_ROLE))
