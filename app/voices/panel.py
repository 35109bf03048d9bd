"""The panel of voices: search, the list for choosing and previewing a voice, comparing and blending."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QLabel, QLineEdit, QListView, QPushButton, QVBoxLayout, QWidget

from app.speech.voice_choice import VoiceChoice, voice_info
from app.speech.voice_list import CHOICE_ROLE, Mark, VoiceDelegate, VoiceListModel
from app.voices.blend_editor import BlendEditor
from app.widgets.controls import action_of, announce
from app.widgets.layouts import WrappingBar

if TYPE_CHECKING:
    from engine.models.installed_voices import ModelVoices

AnyIndex = QModelIndex | QPersistentModelIndex
SPACE_PIXELS = 6
MIN_LIST_PIXELS = 48
"""A minimum height so low that blending fits below the list in the smallest window."""
COMPARE, STOP_ROUND = "Compare Voices", "Stop"
CHOOSING_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class SearchField(QLineEdit):
    """A search field that Esc clears; `left_for_results` is emitted when the Down key leads to the results."""

    left_for_results = Signal()

    def __init__(self, name: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Claim Esc, which would stop the speech, while there is something to clear."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._clears(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Clear the field, or leave for the results."""
        if self._clears(event):
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self.left_for_results.emit()
        else:
            super().keyPressEvent(event)

    def _clears(self, event: QKeyEvent) -> bool:
        return event.key() == Qt.Key.Key_Escape and bool(self.text())


class VoicePanel(QWidget):
    """The panel of voices, with search, list, comparison and blending.

    Signals about one voice carry its `VoiceChoice`, `round_requested` whether to start comparing the voices.
    """

    hear_requested = Signal(object)
    use_requested = Signal(object)
    favorite_requested = Signal(object)
    rename_requested = Signal(object)
    delete_requested = Signal(object)
    round_requested = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models: tuple[ModelVoices, ...] = ()
        self._favorites: tuple[VoiceChoice, ...] = ()
        self._chosen = VoiceChoice()
        self._in_round = False
        self.search = SearchField("Search voices", "Name, language, or gender", self)
        self.search.setToolTip("Search by name, language, gender, or model")
        self.rows = VoiceListModel(self)
        self.voices = _VoiceView(self.rows, self)
        self.empty = QLabel("No Results", self)
        self.empty.setObjectName("faint")
        self.hear = action_of(self.voices, "Preview", "Shift+Return", self._on_hear)
        self.favorite = action_of(self.voices, "", "Ctrl+B", self._on_favorite)
        self.rename = action_of(self.voices, "Rename…", "F2", self._on_rename)
        self.delete = action_of(self.voices, "Delete…", QKeySequence.StandardKey.Delete, self._on_delete)
        self.round = QPushButton(COMPARE, self)
        self.round.setObjectName("panelButton")
        self.round.setToolTip("Play the sentence at the cursor in each listed voice")
        self.blend = BlendEditor(self)
        self._lay_out()
        self._connect()
        self._on_current()

    @property
    def current(self) -> VoiceChoice | None:
        """The current voice in the list."""
        choice: VoiceChoice | None = self.voices.currentIndex().data(CHOICE_ROLE)
        return choice

    def show_models(self, models: Sequence[ModelVoices], favorites: Sequence[VoiceChoice], chosen: VoiceChoice) -> None:
        """List the voices of these models, favorites first; those of the chosen model can be blended."""
        self._models, self._favorites = tuple(models), tuple(favorites)
        speaking = [voice for each in models if each.model == chosen.model for voice in each.voices]
        self.blend.show_voices([voice for voice in speaking if not voice.recipe])
        self._list()
        self.show_chosen(chosen)

    def show_chosen(self, choice: VoiceChoice) -> None:
        """Mark the chosen voice, and go to it if it has changed."""
        self.rows.mark(choice)
        if choice != self._chosen:
            self._chosen = choice
            self._select(choice)
            if self.voices.hasFocus():
                announce(self.voices, str(self.voices.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole) or ""))

    def show_round(self, choice: VoiceChoice | None) -> None:
        """Show the voice being played in a round; None while there is no round."""
        self._in_round = choice is not None
        self.round.setText(STOP_ROUND if self._in_round else COMPARE)
        if choice is not None:
            self._select(choice)

    def showEvent(self, event: QShowEvent) -> None:
        """Show the chosen voice in the middle of the list."""
        super().showEvent(event)
        self._select(self._chosen, QAbstractItemView.ScrollHint.PositionAtCenter)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._list)
        self.search.left_for_results.connect(self._on_search_left)
        self.voices.hear_requested.connect(self.hear_requested)
        self.voices.use_requested.connect(self.use_requested)
        self.voices.favorite_requested.connect(self.favorite_requested)
        self.voices.current_changed.connect(self._on_current)
        self.round.clicked.connect(self._on_round)

    def _lay_out(self) -> None:
        bar = WrappingBar(self)
        for button in (self.round, self.blend.open_button):
            bar.add(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACE_PIXELS, 0, 0)
        layout.setSpacing(SPACE_PIXELS)
        layout.addWidget(self.search)
        layout.addWidget(self.voices, 1)
        layout.addWidget(self.empty, 1, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(bar)
        layout.addWidget(self.blend)

    @Slot()
    def _list(self) -> None:
        current = self.current
        self.rows.show(self._models, self._favorites, self.search.text())
        found = bool(self.rows.choices) or not self._models
        self.voices.setVisible(found)
        self.empty.setVisible(not found)
        self._select(current or self._chosen)
        self._on_current()

    def _select(
        self, choice: VoiceChoice, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        index = self.rows.index(self.rows.row_of(choice))
        self.voices.setCurrentIndex(index)
        self.voices.scrollTo(index, hint)

    @Slot()
    def _on_search_left(self) -> None:
        """Go to the list, and to its first voice if none is current."""
        if self.current is None and self.rows.choices:
            self._select(self.rows.choices[0])
        self.voices.setFocus()

    @Slot()
    def _on_current(self) -> None:
        choice = self.current
        voice = voice_info(choice, self._models) if choice is not None else None
        for action in (self.hear, self.favorite):
            action.setEnabled(choice is not None)
        for action in (self.rename, self.delete):
            action.setEnabled(voice is not None and bool(voice.recipe))
        self.favorite.setText("Remove from Favorites" if choice in self._favorites else "Add to Favorites")
        self.round.setEnabled(bool(self.rows.choices))

    @Slot()
    def _on_hear(self) -> None:
        self.hear_requested.emit(self.current)

    @Slot()
    def _on_favorite(self) -> None:
        self.favorite_requested.emit(self.current)

    @Slot()
    def _on_rename(self) -> None:
        self.rename_requested.emit(self.current)

    @Slot()
    def _on_delete(self) -> None:
        self.delete_requested.emit(self.current)

    @Slot()
    def _on_round(self) -> None:
        self.round_requested.emit(not self._in_round)


class _VoiceView(QListView):
    """The list; a click on a mark previews or stars its voice; a click elsewhere, Return or Space chooses the voice."""

    hear_requested = Signal(object)
    use_requested = Signal(object)
    favorite_requested = Signal(object)
    current_changed = Signal()

    def __init__(self, rows: VoiceListModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("twoLines")
        self.setAccessibleName("Voices")
        self.delegate = VoiceDelegate(self, can_be_starred=True)
        self._pressed: VoiceChoice | None = None
        self.setModel(rows)
        self.setItemDelegate(self.delegate)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(MIN_LIST_PIXELS)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        self.current_changed.emit()

    def event(self, event: QEvent) -> bool:
        """Claim the keys that choose, which may be shortcuts elsewhere in the window."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._chooses(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._chooses(event):
            self.use_requested.emit(self.currentIndex().data(CHOICE_ROLE))
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current voice in view if it was."""
        was_in_view = QRect(QPoint(), event.oldSize()).intersects(self.visualRect(self.currentIndex()))
        super().resizeEvent(event)
        if was_in_view:
            self.scrollTo(self.currentIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self.indexAt(event.position().toPoint()).data(CHOICE_ROLE)
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        index = self.indexAt(place)
        choice = index.data(CHOICE_ROLE)
        if event.button() is not Qt.MouseButton.LeftButton or choice is None or choice != self._pressed:
            return
        mark = self.delegate.mark_at(self.visualRect(index), place.x())
        wanted = {None: self.use_requested, Mark.PLAY: self.hear_requested, Mark.STAR: self.favorite_requested}
        wanted[mark].emit(choice)

    def _chooses(self, event: QKeyEvent) -> bool:
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        return plain and event.key() in CHOOSING_KEYS and self.currentIndex().data(CHOICE_ROLE) is not None
