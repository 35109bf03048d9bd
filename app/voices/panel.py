"""The panel of voices: filters, the list with play marks, what can be done with the current voice, and blending."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QListView, QVBoxLayout, QWidget

from app.speech.voice_choice import Choice, voice_info
from app.speech.voice_delegate import MARK_PIXELS, VoiceDelegate
from app.speech.voice_list import CHOICE_ROLE, VoiceFilter, VoiceListModel, language_title
from app.theme import Colours
from app.voices.blend_editor import BlendEditor
from app.widgets.action_button import ActionButton, action_of
from app.widgets.combo_box import ComboBox
from app.widgets.wrapping_bar import WrappingBar

if TYPE_CHECKING:
    from engine.model_store.installed_voices import ModelVoices

SPACE_PIXELS = 6
LEAST_LIST_PIXELS = 48
"""So that blending fits below the list in the smallest window."""
MY_SENTENCE, STOP_ROUND = "My Sentence in Each", "Stop"


class VoicePanel(QWidget):
    """Signals about one voice carry its `Choice`; `round_wanted` is true for a round of the listed voices to begin."""

    hear_wanted = Signal(object)
    use_wanted = Signal(object)
    favourite_wanted = Signal(object)
    rename_wanted = Signal(object)
    delete_wanted = Signal(object)
    round_wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models: tuple[ModelVoices, ...] = ()
        self._favourites: tuple[Choice, ...] = ()
        self._in_round = False
        self.languages = ComboBox("Language", "Which language's voices are listed", 8, self)
        self.genders = ComboBox("Sex", "Whose voices are listed", 6, self)
        self.genders.offer((("", "All", ""), ("female", "Female", ""), ("male", "Male", "")))
        self.rows = VoiceListModel(self)
        self.voices = _VoiceView(self.rows, self)
        self.hear = action_of(self.voices, "Preview", "Space", self._on_hear)
        self.use = action_of(self.voices, "Use", "", self._on_use)
        self.favourite = action_of(self.voices, "Favourite", "Ctrl+B", self._on_favourite)
        self.rename = action_of(self.voices, "Rename…", "F2", self._on_rename)
        self.delete = action_of(self.voices, "Delete…", QKeySequence.StandardKey.Delete, self._on_delete)
        self.round = action_of(self.voices, MY_SENTENCE, "Ctrl+Space", self._on_round)
        self._bar = self._bar_of_buttons()
        self.blend = BlendEditor(self)  # after the buttons for the Tab key, too
        self._lay_out()
        self._connect()
        self._on_current()

    @property
    def current(self) -> Choice | None:
        """The voice that is current in the list."""
        choice: Choice | None = self.voices.currentIndex().data(CHOICE_ROLE)
        return choice

    def show_models(self, models: Sequence[ModelVoices], favourites: Sequence[Choice], speaking_model: str) -> None:
        """List the voices of these models, favourites first; those of the model that speaks can be blended."""
        self._models, self._favourites = tuple(models), tuple(favourites)
        tags = dict.fromkeys(voice.language for each in models for voice in each.voices)
        self.languages.offer([("", "All languages", ""), *((tag, language_title(tag), "") for tag in tags)])
        speaking = [voice for each in models if each.model == speaking_model for voice in each.voices]
        self.blend.show_voices([voice for voice in speaking if not voice.recipe])
        self._list()

    def show_round(self, choice: Choice | None) -> None:
        """Show which voice speaks in a round; None while there is no round."""
        self._in_round = choice is not None
        self.round.setText(STOP_ROUND if self._in_round else MY_SENTENCE)
        if choice is not None:
            self._select(choice)

    def set_colours(self, colours: Colours) -> None:
        """Take the theme's colours."""
        self.voices.delegate.set_colours(colours)
        self.voices.viewport().update()

    def _connect(self) -> None:
        self.languages.chosen.connect(self._list)
        self.genders.chosen.connect(self._list)
        self.voices.hear_wanted.connect(self.hear_wanted)
        self.voices.use_wanted.connect(self.use_wanted)
        self.voices.current_changed.connect(self._on_current)

    def _bar_of_buttons(self) -> WrappingBar:
        bar = WrappingBar(self)
        for action in (self.hear, self.use, self.favourite, self.rename, self.delete, self.round):
            bar.add(ActionButton(action, self))
        return bar

    def _lay_out(self) -> None:
        filters = QHBoxLayout()
        filters.addWidget(self.languages, 1)
        filters.addWidget(self.genders)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACE_PIXELS, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addLayout(filters)
        layout.addWidget(self.voices, 1)
        layout.addWidget(self._bar)
        layout.addWidget(self.blend)

    @Slot()
    def _list(self) -> None:
        current = self.current
        only = VoiceFilter(str(self.languages.value or ""), str(self.genders.value or ""))
        self.rows.show(self._models, self._favourites, only)
        if current is not None:
            self._select(current)
        self._on_current()

    def _select(self, choice: Choice) -> None:
        index = self.rows.index(self.rows.row_of(choice))
        self.voices.setCurrentIndex(index)
        self.voices.scrollTo(index)

    @Slot()
    def _on_current(self) -> None:
        choice = self.current
        voice = voice_info(choice, self._models) if choice is not None else None
        for action in (self.hear, self.use, self.favourite):
            action.setEnabled(choice is not None)
        for action in (self.rename, self.delete):
            action.setEnabled(voice is not None and bool(voice.recipe))
        self.favourite.setText("Remove Favourite" if choice in self._favourites else "Favourite")
        self.round.setEnabled(bool(self.rows.choices))

    @Slot()
    def _on_hear(self) -> None:
        self.hear_wanted.emit(self.current)

    @Slot()
    def _on_use(self) -> None:
        self.use_wanted.emit(self.current)

    @Slot()
    def _on_favourite(self) -> None:
        self.favourite_wanted.emit(self.current)

    @Slot()
    def _on_rename(self) -> None:
        self.rename_wanted.emit(self.current)

    @Slot()
    def _on_delete(self) -> None:
        self.delete_wanted.emit(self.current)

    @Slot()
    def _on_round(self) -> None:
        self.round_wanted.emit(not self._in_round)


class _VoiceView(QListView):
    """A click on a play mark lets its voice be heard; Return or a double click elsewhere takes the voice."""

    hear_wanted = Signal(object)
    use_wanted = Signal(object)
    current_changed = Signal()

    def __init__(self, rows: VoiceListModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("twoLines")
        self.setAccessibleName("Voices")
        self.delegate = VoiceDelegate(self)
        self.setModel(rows)
        self.setItemDelegate(self.delegate)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(LEAST_LIST_PIXELS)
        self.viewport().installEventFilter(self)

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        self.current_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        choice = self.currentIndex().data(CHOICE_ROLE)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and choice is not None:
            self.use_wanted.emit(choice)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent) or event.button() is not Qt.MouseButton.LeftButton:
            return super().eventFilter(watched, event)
        index = self.indexAt(event.position().toPoint())
        choice = index.data(CHOICE_ROLE)
        if choice is None:
            return super().eventFilter(watched, event)
        on_mark = event.position().x() > self.visualRect(index).right() - MARK_PIXELS
        if on_mark and event.type() == QEvent.Type.MouseButtonRelease:
            self.hear_wanted.emit(choice)
        elif not on_mark and event.type() == QEvent.Type.MouseButtonDblClick:
            self.use_wanted.emit(choice)
        return super().eventFilter(watched, event)


AnyIndex = QModelIndex | QPersistentModelIndex
