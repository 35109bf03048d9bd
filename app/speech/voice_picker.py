"""A combo box of voices, grouped by language."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.speech.voice_list import HEADING_ROLE, NAME_ROLE, VOICE_ROLE, VoiceListModel
from app.widgets.elided_text import ElidedComboBox
from engine.speech import VoiceInfo
from engine.voices.packs import describe

INDENT = "\N{EM SPACE}"
HEADING_SIZE = 0.9
MARGIN_PIXELS = 24
SMALLEST_PIXELS = 120
ROW_PIXELS = 28


class VoicePicker(ElidedComboBox):
    """`voice_chosen` is emitted with a name when the user chooses another voice.

    `preview_wanted` is emitted with a `VoiceInfo` when the user wants to hear the chosen one.
    """

    voice_chosen = Signal(str)
    preview_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = VoiceListModel(self)
        self._wanted: str | None = None
        self._asked_for: str | None = None
        self.setModel(self._model)
        self.setItemDelegate(_GroupedDelegate(self))
        self.setAccessibleName("Voice")
        self.setPlaceholderText("Finding voices…")
        self.setToolTip("The voice that speaks; right-click to hear it")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        hear = QAction("Hear This Voice", self)
        hear.triggered.connect(self.preview)
        self.addAction(hear)
        self.setMinimumContentsLength(14)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMaxVisibleItems(20)
        self.setEnabled(False)
        self.activated.connect(self._on_activated)

    @property
    def voice(self) -> str | None:
        """The name that was requested or selected; None until the voices are known."""
        chosen = self.currentData(NAME_ROLE)
        return self._asked_for or (chosen if isinstance(chosen, str) else None)

    def choose(self, name: str | None) -> None:
        """Select a voice, now or once the voices are known; the first one if it is not among them."""
        self._wanted = name
        row = self._model.row_of(name) if name else -1
        self.setCurrentIndex(row if row >= 0 else self._model.first_voice_row())

    def ask_for(self, name: str) -> None:
        """Insist on a voice, so that a missing one is an error instead of being replaced by another."""
        self._asked_for = name
        self.choose(name)

    def show_voices(self, voices: Sequence[VoiceInfo]) -> None:
        """List the voices and keep the selection."""
        wanted = self.voice or self._wanted
        self._model.show(voices)
        self.setEnabled(bool(voices))
        self.choose(wanted)

    def minimumSizeHint(self) -> QSize:
        """A small width is enough, since the title can be elided."""
        return QSize(SMALLEST_PIXELS, super().minimumSizeHint().height())

    @Slot()
    def preview(self) -> None:
        """Request a sentence in the selected voice."""
        name = self.voice
        if name is not None:
            voice = self.itemData(self._model.row_of(name), VOICE_ROLE)
            self.preview_wanted.emit(voice if isinstance(voice, VoiceInfo) else describe(name))

    def _on_activated(self, row: int) -> None:
        self._asked_for = None
        self._wanted = self.itemData(row, NAME_ROLE)
        self.voice_chosen.emit(self._wanted)


class _GroupedDelegate(QStyledItemDelegate):
    """Headings small and bold, voices indented."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width() + MARGIN_PIXELS, ROW_PIXELS)

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if index.data(HEADING_ROLE):
            option.font.setBold(True)  # type: ignore[attr-defined]
            option.font.setPointSizeF(option.font.pointSizeF() * HEADING_SIZE)  # type: ignore[attr-defined]
        else:
            option.text = f"{INDENT}{option.text}"  # type: ignore[attr-defined]
