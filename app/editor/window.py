"""The Shape Speech window: a sentence as text, its timeline, and the inspector."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QKeySequence
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.editor import shaping
from app.editor.gestures import Tool
from app.editor.inspector import PhonemeInspector
from app.editor.session import EditorSession
from app.editor.symbols import SymbolPopup
from app.editor.timeline import Timeline
from app.messages import Message, message_for
from app.theme import colors, icon
from app.widgets.controls import icon_button
from app.widgets.layouts import ScrollingBody, WrappingBar
from app.widgets.message_banner import MessageBanner
from app.widgets.windows import SeparateWindow

TITLE = "Shape Speech"
OPENING_PIXELS = QSize(1000, 680)
MARGIN_PIXELS = 12
_HIDDEN = "\0"
"""The placeholder for tags in the sentence, which are not shown."""
_TOOL_KEYS = {Tool.PENCIL: "P", Tool.LINE: "L", Tool.ERASER: "E"}


class EditorWindow(SeparateWindow):
    """The window in which the session's sentence is shaped."""

    def __init__(self, owner: QWidget, session: EditorSession) -> None:
        super().__init__(owner, TITLE, OPENING_PIXELS)
        self.setObjectName("editorWindow")
        self.session = session
        self.banner = MessageBanner(self)
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.RichText)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse)
        self.sentence.setAccessibleName("Sentence")
        self.timeline = Timeline(session, self)
        self.inspector = PhonemeInspector(session, self.timeline)
        self.play_changes = QCheckBox("Play Changes")
        self.play_changes.setChecked(session.play_changes)
        self._add_header()
        self._lay_out()
        self._connect()
        self._follow()

    @Slot()
    def open(self) -> None:
        """Show the window in front of the others."""
        super().open()
        self.timeline.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop playing and generating; all changes are saved already."""
        super().closeEvent(event)
        self.session.close()

    def changeEvent(self, event: QEvent) -> None:
        """Show the sentence in the colors of a new theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange) and hasattr(self, "inspector"):
            self._show_sentence()

    def _add_header(self) -> None:
        session = self.session
        self.previous = icon_button("Previous sentence", icon("back", "text"), self)
        self.next = icon_button("Next sentence", icon("forward", "text"), self)
        self.play = QPushButton("Play")
        self.play.setObjectName("panelButton")
        self.undo = session.undo.createUndoAction(self, "Undo")
        self.redo = session.undo.createRedoAction(self, "Redo")
        self.undo.setShortcuts(QKeySequence.StandardKey.Undo)
        self.redo.setShortcuts(QKeySequence.StandardKey.Redo)
        self.reset_all = QAction("Reset All", self)
        self.tools = QActionGroup(self)
        for tool in Tool:
            action = QAction(tool.value, self.tools, checkable=True, checked=tool is Tool.PENCIL)
            action.setToolTip(f"{tool.value} for the pitch ({_TOOL_KEYS[tool]})")
            action.setData(tool)
        self.zoom_out, self.zoom_in = QAction("−", self), QAction("+", self)
        self.show_whole = QAction("Whole", self)
        for action, tip in (
            (self.zoom_out, "Zoom out (−)"),
            (self.zoom_in, "Zoom in (+)"),
            (self.show_whole, "Show the whole sentence (0)"),
        ):
            action.setToolTip(tip)
        self.addActions([self.undo, self.redo])

    def _lay_out(self) -> None:
        bar = WrappingBar()
        bar.add(self.previous, self.play, self.next)
        bar.add(*(_button(action) for action in (self.undo, self.redo, self.reset_all)))
        bar.add(*(_button(action) for action in self.tools.actions()))
        bar.add(*(_button(action) for action in (self.zoom_out, self.zoom_in, self.show_whole)))
        bar.add(self.play_changes)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        for widget in (self.sentence, bar):
            column.addWidget(widget)
        column.addWidget(self.timeline, 1)
        column.addWidget(self.inspector)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*(MARGIN_PIXELS,) * 4)
        layout.addWidget(self.banner)
        layout.addWidget(ScrollingBody(body, self, grow=True), 1)

    def _connect(self) -> None:
        session, timeline = self.session, self.timeline
        for button, slot in (
            (self.previous, session.show_previous),
            (self.next, session.show_next),
            (self.play, session.play),
        ):
            button.clicked.connect(slot)
        for action, slot in (
            (self.reset_all, session.reset_all),
            (self.zoom_in, timeline.zoom_in),
            (self.zoom_out, timeline.zoom_out),
            (self.show_whole, timeline.show_whole),
        ):
            action.triggered.connect(slot)
        self.tools.triggered.connect(lambda action: timeline.choose_tool(action.data()))
        timeline.tool_changed.connect(self._show_tool)
        timeline.selection_changed.connect(self._show_sentence)
        timeline.symbol_requested.connect(self._on_symbol)
        self.inspector.said_like.connect(timeline.setFocus)
        self.sentence.linkActivated.connect(self._on_word)
        self.play_changes.toggled.connect(self._on_play_changes)
        session.changed.connect(self._follow)
        session.sounds.playing_changed.connect(self._follow)
        session.failed.connect(self.show_failure)

    @Slot(object)
    def show_failure(self, error: Exception) -> None:
        """Show a failure."""
        message = message_for(error)
        self.banner.show_message(Message(message.text, message.tone, details=message.details))

    @Slot()
    def _follow(self) -> None:
        session = self.session
        self.previous.setEnabled(session.has_previous)
        self.next.setEnabled(session.has_next)
        self.play.setText("Stop" if session.sounds.playing else "Play")
        self.play.setEnabled(session.utterance is not None)
        changed = session.utterance is not None and session.edit != session.unchanged
        self.reset_all.setEnabled(changed)
        self._show_sentence()

    @Slot()
    def _show_sentence(self) -> None:
        """Show the sentence with its words as links; the selected one is highlighted, edited ones have a dot."""
        session = self.session
        shown = session.shaped or session.utterance
        if shown is None:
            self.sentence.setText("")
            return
        from engine.text.g2p.directions import hide_preset_tags  # loads much that the start does not need

        first, end = self.timeline.selection if session.shaped is not None else (0, 0)
        edited = shaping.edited_phonemes(session.edit) if session.shaped is not None else frozenset()
        parts, done = [], 0
        text = hide_preset_tags(session.text[shown.start : shown.end], _HIDDEN)
        for number, word in enumerate(shown.words):
            first_character, end_character = word.start - shown.start, word.end - shown.start
            parts.append(escape(text[done:first_character]))
            chosen = first < word.end_phoneme and word.first_phoneme < end
            back = f"; background-color: {colors().word}" if chosen else ""
            style = f"color: {colors().text}; text-decoration: none{back}"
            dot = any(word.first_phoneme <= index < word.end_phoneme for index in edited)
            mark = f'<span style="color: {colors().error}">•</span>' if dot else ""
            words = escape(text[first_character:end_character])
            parts.append(f'<a href="{number}" style="{style}">{words}</a>{mark}')
            done = end_character
        parts.append(escape(text[done:]))
        written = "".join(parts).replace(_HIDDEN, "")
        self.sentence.setText(f'<span style="font-size: large">{written}</span>')

    @Slot(str)
    def _on_word(self, link: str) -> None:
        shaped = self.session.shaped
        if shaped is not None:
            word = shaped.words[int(link)]
            self.timeline.select(word.first_phoneme, word.end_phoneme)
            self.timeline.setFocus()

    @Slot()
    def _show_tool(self) -> None:
        for action in self.tools.actions():
            action.setChecked(action.data() is self.timeline.tool)

    @Slot(bool)
    def _on_play_changes(self, on: bool) -> None:
        self.session.play_changes = on

    @Slot(int)
    def _on_symbol(self, index: int) -> None:
        shaped, scene = self.session.shaped, self.timeline.scene()
        if shaped is None or scene is None:
            return
        self.timeline.select(index, index + 1)
        popup = SymbolPopup(self.session.symbols, shaped.phonemes[index], self)
        popup.chosen.connect(lambda symbols: self._replace(index, symbols))
        place = QPoint(round(max(0.0, scene.x(scene.preview.edges[index]))), round(scene.lanes.words[0]))
        popup.show_at(self.timeline.viewport().mapToGlobal(place))

    def _replace(self, index: int, symbols: str) -> None:
        edit = shaping.respelled(self.session.edit, index, index + 1, symbols)
        self.session.change(edit, "Change Phoneme")


def _button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    return button
