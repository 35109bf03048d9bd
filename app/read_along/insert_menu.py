"""The menu that puts a pause, or a change of voice, into the text."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QKeySequence

from app.main_menu import MainMenu
from app.speech.text_editor import TextEditor
from app.speech.voice_picker import VoicePicker

USUAL_PAUSE = "1.5s"


class InsertMenu(QObject):
    """Entries of the Edit menu; what is inserted is shown as a pill, and can be edited and undone like any text."""

    def __init__(self, menu: MainMenu, editor: TextEditor, voices: VoicePicker) -> None:
        super().__init__(menu)
        self._edit = editor.edit
        self._voices = voices
        self.menu = menu.edit_menu.addMenu("Insert")
        self.pause = self.menu.addAction(f"Pause of {USUAL_PAUSE}", QKeySequence("Ctrl+Shift+P"), self.insert_pause)
        self.voice = self.menu.addAction("Chosen Voice", QKeySequence("Ctrl+Shift+N"), self.insert_voice)
        voices.listed.connect(self._show_voice)
        voices.voice_chosen.connect(self._show_voice)
        self._show_voice()

    @Slot()
    def insert_pause(self) -> None:
        """Insert a pause, with its length selected, so that another can be typed."""
        self._insert("[pause ", USUAL_PAUSE, "]")

    @Slot()
    def insert_voice(self) -> None:
        """Let the voice that is chosen speak from here on."""
        if self._voices.voice:
            self._insert(f"[voice:{self._voices.voice}]", "", " ")

    def _insert(self, before: str, selected: str, after: str) -> None:
        cursor = self._edit.textCursor()
        cursor.beginEditBlock()
        cursor.insertText(before)
        start = cursor.position()
        cursor.insertText(selected + after)
        cursor.endEditBlock()
        if selected:
            cursor.setPosition(start)
            cursor.setPosition(start + len(selected), cursor.MoveMode.KeepAnchor)
        self._edit.setTextCursor(cursor)
        self._edit.setFocus()

    @Slot()
    def _show_voice(self) -> None:
        name = self._voices.voice
        self.voice.setText(f"Voice {name}" if name else "Chosen Voice")
        self.voice.setEnabled(bool(name))
