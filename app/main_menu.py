"""The menu bar: all commands of the window, with titles and shortcuts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication, QIcon, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QMessageBox, QWidget

from app.recent_texts import RecentText
from app.speech.activity import Activity
from app.speech.page import SpeechPage
from app.speech.speak_button import PlayCommand
from app.theme import Appearance, application_icon
from app.widgets.windows import WindowMenu
from engine.system.paths import APPLICATION_NAME

_APPEARANCE_TITLES = {Appearance.SYSTEM: "Auto", Appearance.LIGHT: "Light", Appearance.DARK: "Dark"}
_NOTES_TITLES = {False: "Left Out", True: "At the End of Each Chapter"}
MAX_TITLE_PIXELS = 500
"""The maximum width of a book's title; the tooltip shows its path."""
Keys = str | QKeySequence | QKeySequence.StandardKey
ABOUT = """<h3>{name} {version}</h3><p>Natural text-to-speech that runs on your computer, with Kokoro compiled by Apache
TVM.</p><p>Apache License 2.0. The voices, and who made them, are named in the file NOTICE.</p>"""
ICON_PIXELS = 64


class MainMenu(QMenuBar):
    """The menu bar; its actions are public, and the main window and the features connect them.

    Actions that need a feature, a document or a text are disabled until it is available.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._add_file_actions(self.addMenu("&File"))
        self.edit_menu = self.addMenu("&Edit")
        self._add_editing_actions(self.edit_menu)
        speech = self.speech_menu = self.addMenu("&Speech")
        self.play = _action(
            speech, PlayCommand.PLAY.value, "Ctrl+Return", "Ctrl+Enter", "Ctrl+Shift+Return", "Media Play"
        )
        self.play.setData(PlayCommand.PLAY)
        self.speak_from_here = _action(speech, "Play from Here", _skip_key("Return"), _skip_key("Enter"))
        self.from_beginning = _disabled(speech, "Play from the Beginning")
        self.speak_clipboard = _action(speech, "Play Clipboard", "Ctrl+Shift+K")
        self.stop = _disabled(speech, "Stop", *(("Esc", "Ctrl+.") if sys.platform == "darwin" else ("Esc",)))
        self.preview = _action(speech, "Preview Voice", "Ctrl+Shift+J")
        speech.addSeparator()
        self.back = _action(speech, "Back 5 Seconds", _skip_key("Left"))
        self.forward = _action(speech, "Forward 5 Seconds", _skip_key("Right"))
        self.previous_chapter = _action(speech, "Previous Chapter", "Alt+PgUp")
        self.next_chapter = _action(speech, "Next Chapter", "Alt+PgDown")
        speech.addSeparator()
        self._add_queue(speech.addMenu("Queue"))
        speech.addSeparator()
        self._add_speech_settings(speech)
        speech.addSeparator()
        self.model_menu = speech.addMenu("Model")
        self.model_actions = QActionGroup(self)
        self.models = _action(speech, "Models…", "Ctrl+Shift+M")
        self.view_menu = self.addMenu("&View")
        self.home = _disabled(self.view_menu, "Home", "Ctrl+Shift+H")
        self.home.setCheckable(True)
        self.view_menu.addSeparator()
        self._below_views = self.view_menu.addSeparator()
        self._add_appearance(self.view_menu)
        self.addMenu(WindowMenu(self))
        self._add_help(self.addMenu("&Help"))

    def add_editing(self, page: SpeechPage) -> None:
        """Connect the editing actions to the text on display, each enabled while it would change something."""
        self._page = page
        edit = page.editor.edit
        for action, slot in (
            (self.undo, edit.undo),
            (self.redo, edit.redo),
            (self.cut, edit.cut),
            (self.copy, self._copy),
            (self.paste, edit.paste),
            (self.select_all, self._select_all),
        ):
            action.triggered.connect(slot)
        for changed in (
            edit.textChanged,
            edit.undoAvailable,
            edit.redoAvailable,
            page.editor.selection_changed,
            page.book.selection_changed,
            page.views.currentChanged,
            QGuiApplication.clipboard().dataChanged,
        ):
            changed.connect(self._follow_text)
        self._follow_text()

    def add_view(self, action: QAction, *keys: Keys) -> None:
        """Add an action that shows and hides a part of the window, after the others of its kind."""
        action.setShortcuts([QKeySequence(key) for key in keys])
        self.view_menu.insertAction(self._below_views, action)

    def show_activity(self, activity: Activity) -> None:
        """Enable Stop only while there is something to stop; at other times Esc is free for other uses."""
        self.stop.setEnabled(activity.can_stop)

    def show_play_command(self, command: PlayCommand) -> None:
        """Show the current effect of Play."""
        if command is not self.play.data():
            self.play.setData(command)
            self.play.setText(command.value)

    def choose(self, appearance: Appearance) -> None:
        """Check an appearance."""
        for action in self.appearances.actions():
            action.setChecked(action.data() is appearance)

    def choose_notes(self, read: bool) -> None:
        """Check whether notes are read."""
        for action in self.notes.actions():
            action.setChecked(action.data() == read)

    def offer_texts(self, texts: Sequence[RecentText]) -> None:
        """List the recent texts; each action's data is the text."""
        self.recent_menu.clear()
        for text in texts:
            _action(self.recent_menu, text.title.replace("&", "&&")).setData(text.text)
        if not texts:
            _action(self.recent_menu, "No Texts Yet").setEnabled(False)

    def offer_books(self, books: Sequence[tuple[Path, str, QIcon]]) -> None:
        """List the recent books, each with its file, title and cover; each action's data is the path."""
        self.recent_files_menu.clear()
        for path, title, cover in books:
            shown = self.fontMetrics().elidedText(title, Qt.TextElideMode.ElideMiddle, MAX_TITLE_PIXELS)
            action = _action(self.recent_files_menu, shown.replace("&", "&&"))
            action.setIcon(cover)
            action.setIconVisibleInMenu(True)
            action.setData(path)
            action.setToolTip(str(path))
        if not books:
            _action(self.recent_files_menu, "No Books Yet").setEnabled(False)

    def offer_models(self, models: Sequence[tuple[str, str]], in_use: str) -> None:
        """List the usable models, each with its name and title; the one in use is checked."""
        offered = [(action.data(), action.text()) for action in self.model_actions.actions()]
        if offered != list(models):
            self.model_menu.clear()
            for action in self.model_actions.actions():
                self.model_actions.removeAction(action)
            for name, title in models:
                action = _action(self.model_menu, title)
                action.setCheckable(True)
                action.setData(name)
                self.model_actions.addAction(action)
        for action in self.model_actions.actions():
            action.setChecked(action.data() == in_use)

    def _add_editing_actions(self, edit: QMenu) -> None:
        """Add the commands of the Edit menu; those that change or copy text are disabled while there is none."""
        keys = QKeySequence.StandardKey
        self.undo = _disabled(edit, "Undo", keys.Undo)
        self.redo = _disabled(edit, "Redo", keys.Redo)
        edit.addSeparator()
        self.cut = _disabled(edit, "Cut", keys.Cut)
        self.copy = _disabled(edit, "Copy", keys.Copy)
        self.paste = _action(edit, "Paste", keys.Paste, *_plain_paste_keys())
        self.select_all = _disabled(edit, "Select All", keys.SelectAll)
        edit.addSeparator()
        self.find_text = _action(edit, "Find…", keys.Find)
        self.find_next = _action(edit, "Find Next", *QKeySequence.keyBindings(keys.FindNext))
        self.find_previous = _action(edit, "Find Previous", *QKeySequence.keyBindings(keys.FindPrevious))
        self.use_selection = _disabled(edit, "Use Selection for Find", "Ctrl+E")
        edit.addSeparator()
        self.add_bookmark = _disabled(edit, "Add Bookmark", "Ctrl+D")
        self.edit_text = _disabled(edit, "Edit Text")

    @Slot()
    def _copy(self) -> None:
        self._page.view.copy()

    @Slot()
    def _select_all(self) -> None:
        self._page.view.select_all()

    @Slot()
    def _follow_text(self) -> None:
        """Enable the editing actions that apply; a book allows only Copy and Select All."""
        page, edit = self._page, self._page.editor.edit
        start, end = page.view.span
        shown = not page.home_shown
        own = shown and page.view is page.editor
        self.undo.setEnabled(own and edit.document().isUndoAvailable())
        self.redo.setEnabled(own and edit.document().isRedoAvailable())
        self.cut.setEnabled(own and start < end)
        for action in (self.copy, self.use_selection):
            action.setEnabled(shown and start < end)
        self.paste.setEnabled(own and edit.canPaste())
        self.select_all.setEnabled(shown and not (own and edit.document().isEmpty()))

    def _add_speech_settings(self, speech: QMenu) -> None:
        """Add the commands for speed, pauses and notes."""
        self.faster = _action(speech, "Faster", "Ctrl+]")
        self.slower = _action(speech, "Slower", "Ctrl+[")
        self.normal_speed = _action(speech, "Normal Speed", "Ctrl+\\")
        pauses = speech.addMenu("Pauses")
        self.longer_pauses = _action(pauses, "Longer Pauses", "Ctrl+Shift+]")
        self.shorter_pauses = _action(pauses, "Shorter Pauses", "Ctrl+Shift+[")
        self.normal_pauses = _action(pauses, "Normal Pauses")
        self.notes = self._add_notes(speech.addMenu("Notes in Documents"))

    def _add_file_actions(self, file: QMenu) -> None:
        keys = QKeySequence.StandardKey
        self.new_text = _disabled(file, "New Text", keys.New)
        self.open_text = _action(file, "Open…", keys.Open)
        self.open_clipboard = _action(file, "Open from Clipboard", "Ctrl+Shift+O")
        self.recent_files_menu = file.addMenu("Open Recent")
        self.recent_files_menu.setObjectName("covers")
        self.recent_files_menu.setToolTipsVisible(True)
        self.offer_books([])
        self.recent_menu = file.addMenu("Recent Texts")
        self.offer_texts([])
        file.addSeparator()
        self.close_document = _disabled(file, "Close Document", "Ctrl+Shift+W")
        self.save_project = _disabled(file, "Save as Project…", "Ctrl+Shift+S")
        self.save = _action(file, "Save Audio…", keys.Save)
        self.stop_saving = _disabled(file, "Stop Saving", "Ctrl+Shift+.")
        file.addSeparator()
        self.settings = _action(file, "Settings…", "Ctrl+,")
        self.settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        file.addSeparator()
        self.close_window = _action(file, "Close Window", "Ctrl+W")
        self.quit = _action(file, f"Quit {APPLICATION_NAME}", "Ctrl+Q")
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)

    def _add_help(self, menu: QMenu) -> None:
        """Add the commands of the Help menu."""
        self.help = _action(menu, f"{APPLICATION_NAME} Help", QKeySequence.StandardKey.HelpContents)
        self.shortcuts = _action(menu, "Keyboard Shortcuts", "Ctrl+/")
        menu.addSeparator()
        self.about = _action(menu, f"About {APPLICATION_NAME}")
        self.about.setMenuRole(QAction.MenuRole.AboutRole)

    def _add_queue(self, menu: QMenu) -> None:
        """Add the commands that queue texts and documents for playback or saving."""
        self.add_to_queue = _action(menu, "Add to Queue", "Ctrl+Shift+A")
        self.queue_file = _action(menu, "Add to Queue as File…")
        self.queue_document = _action(menu, "Add Document to Queue…", "Ctrl+Shift+D")
        self.queue_document_file = _action(menu, "Add Document to Queue as File…", "Ctrl+Shift+L")

    def _add_notes(self, menu: QMenu) -> QActionGroup:
        """Add the choice whether to read the notes of documents; each action's data is a boolean."""
        group = QActionGroup(self)
        for read, title in _NOTES_TITLES.items():
            action = _action(menu, title)
            action.setCheckable(True)
            action.setData(read)
            group.addAction(action)
        return group

    def _add_appearance(self, view: QMenu) -> None:
        """Add the choice of appearance, and the full-screen command."""
        appearance_menu = view.addMenu("Appearance")
        self.appearances = QActionGroup(self)
        for appearance, title in _APPEARANCE_TITLES.items():
            action = _action(appearance_menu, title)
            action.setCheckable(True)
            action.setData(appearance)
            self.appearances.addAction(action)
        keys = QKeySequence.keyBindings(QKeySequence.StandardKey.FullScreen)
        self.full_screen = _action(view, "", *keys[:1])  # the others belong to other desktops
        self.full_screen.triggered.connect(self._toggle_full_screen)
        view.aboutToShow.connect(self._name_full_screen)
        self._name_full_screen()

    @Slot()
    def _toggle_full_screen(self) -> None:
        window = self.window()
        window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)

    @Slot()
    def _name_full_screen(self) -> None:
        self.full_screen.setText("Exit Full Screen" if self.window().isFullScreen() else "Enter Full Screen")


def _action(menu: QMenu, title: str, *keys: Keys) -> QAction:
    action = QAction(title, menu)
    action.setMenuRole(QAction.MenuRole.NoRole)  # otherwise Qt takes Exit Full Screen for the Quit command on a Mac
    action.setShortcuts([QKeySequence(key) for key in keys])
    menu.addAction(action)
    return action


def _disabled(menu: QMenu, title: str, *keys: Keys) -> QAction:
    action = _action(menu, title, *keys)
    action.setEnabled(False)
    return action


def _plain_paste_keys() -> tuple[str, ...]:
    """Return the keys of Paste and Match Style; in plain text, Paste does the same."""
    return ("Ctrl+Shift+V", "Ctrl+Alt+Shift+V") if sys.platform == "darwin" else ("Ctrl+Shift+V",)


def _skip_key(arrow: str) -> str:
    """Return a shortcut with Alt, or Ctrl+Alt on a Mac.

    Linux desktops switch workspaces with Ctrl+Alt; on a Mac, Alt alone moves by a word.
    """
    return f"Ctrl+Alt+{arrow}" if sys.platform == "darwin" else f"Alt+{arrow}"


class MenuDialogs(QObject):
    """Opens the About dialog."""

    def __init__(self, window: QWidget, menu: MainMenu) -> None:
        super().__init__(window)
        self._window = window
        menu.about.triggered.connect(self.show_about)

    @Slot()
    def show_about(self) -> QMessageBox:
        """Show the app's name, version and license."""
        box = QMessageBox(self._window)
        box.setWindowTitle(f"About {APPLICATION_NAME}")
        box.setIconPixmap(application_icon().pixmap(ICON_PIXELS, ICON_PIXELS))
        box.setText(ABOUT.format(name=APPLICATION_NAME, version=version("kokoro-desk")))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()
        return box
