"""The menu entries for reading along, and for putting a pause or a change of voice into the text."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QKeySequence

from app.main_menu import MainMenu
from app.speech.text_editor import TextEditor
from app.speech.voice_picker import VoicePicker
from app.widgets.reading_marks import TITLE as BACK_TO_READING

DEFAULT_PAUSE = "1.5s"


class ReadAlongActions(QObject):
    """Actions for reading along; keys with Ctrl are for the text, those with Alt navigate and zoom the audio."""

    def __init__(self, menu: MainMenu) -> None:
        super().__init__(menu)
        self.sentence_back = self._action("Sentence Back", sound_key("Up"), "Media Previous")
        self.sentence_forward = self._action("Sentence Forward", sound_key("Down"), "Media Next")
        self.focus = self._action("Focus Mode", "Ctrl+Shift+F")
        self.focus.setCheckable(True)
        self.leave_focus = self._action("Leave Focus Mode", "Esc")
        self.back_to_reading = self._action(BACK_TO_READING.title().replace(" To ", " to "), "Ctrl+J")
        self.larger = self._action("Larger Text", "Ctrl++", "Ctrl+=")
        self.smaller = self._action("Smaller Text", "Ctrl+-")
        self.normal_size = self._action("Normal Text Size", "Ctrl+0")
        self.zoom_in = self._action("Zoom In on the Waveform", sound_key("+"), sound_key("="))
        self.zoom_out = self._action("Zoom Out of the Waveform", sound_key("-"))
        self.whole = self._action("Whole Waveform", sound_key("0"))
        self.for_sound = (self.sentence_back, self.sentence_forward, self.zoom_in, self.zoom_out, self.whole)
        for action in (*self.for_sound, self.back_to_reading, self.leave_focus):
            action.setEnabled(False)
        self._add_to(menu)

    def _add_to(self, menu: MainMenu) -> None:
        speech = menu.speech_menu
        following = speech.actions()[speech.actions().index(menu.forward) + 1]
        speech.insertActions(following, [self.sentence_back, self.sentence_forward])
        first = menu.view_menu.actions()[0]
        for group in (
            (self.focus, self.leave_focus, self.back_to_reading),
            (self.larger, self.smaller, self.normal_size),
            (self.zoom_in, self.zoom_out, self.whole),
        ):
            menu.view_menu.insertActions(first, group)
            menu.view_menu.insertSeparator(first)

    def _action(self, title: str, *keys: str) -> QAction:
        action = QAction(title, self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        return action


def sound_key(key: str) -> str:
    """Return a shortcut with Alt, or on a Mac with Ctrl+Alt.

    Linux desktops reserve Ctrl+Alt; on a Mac, Alt alone types other letters.
    """
    return f"Ctrl+Alt+{key}" if sys.platform == "darwin" else f"Alt+{key}"


class InsertMenu(QObject):
    """Entries of the Edit menu for directions, which appear as pills and can be edited and undone like any text."""

    def __init__(self, menu: MainMenu, editor: TextEditor, voices: VoicePicker) -> None:
        super().__init__(menu)
        self._edit = editor.edit
        self._voices = voices
        self.menu = menu.edit_menu.addMenu("Insert")
        self.pause = self.menu.addAction(f"Pause of {DEFAULT_PAUSE}", QKeySequence("Ctrl+Shift+P"), self.insert_pause)
        self.voice = self.menu.addAction("Current Voice", QKeySequence("Ctrl+Shift+N"), self.insert_voice)
        voices.listed.connect(self._show_voice)
        voices.voice_chosen.connect(self._show_voice)
        self._show_voice()

    @Slot()
    def insert_pause(self) -> None:
        """Insert a pause, with its length selected, so that typing replaces it."""
        self._insert("[pause ", DEFAULT_PAUSE, "]")

    @Slot()
    def insert_voice(self) -> None:
        """Insert a change to the chosen voice."""
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
        self.voice.setText(f"Voice {name}" if name else "Current Voice")
        self.voice.setEnabled(bool(name))
