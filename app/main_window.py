"""The main window: connects its page and its menu with the speech controller."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow

from app.audio.player import Playback
from app.audio.track import AudioTrack
from app.closing import Closing
from app.main_menu import MainMenu
from app.messages import Message, Remedy, message_for, message_for_notices
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.speech.controller import SpeechController
from app.speech.jobs import VoicesListed
from app.speech.page import SpeechPage
from app.theme import Theme
from app.widgets.file_dialogs import ask_where_to_save, suggested_name
from app.window_memory import WindowMemory
from engine.errors import NothingToSpeak, OutputError
from engine.speech import Plan, SpeechRequest
from engine.system.paths import APPLICATION_NAME


class MainWindow(QMainWindow):
    """One window for one speech at a time; `closed` is emitted once everything is saved.

    `file_wanted` carries the path of a document that is to be opened, `file_opened` that of one that was, and
    `files_given` those that were dropped or pasted.
    """

    closed = Signal()
    file_wanted = Signal(object)
    file_opened = Signal(object)
    files_given = Signal(list)

    def __init__(
        self, controller: SpeechController, settings: Settings, theme: Theme, texts: RecentTexts | None = None
    ) -> None:
        super().__init__()
        self._controller = controller
        self._settings = settings
        self._theme = theme
        self._for_later: SpeechRequest | None = None
        self._marked: AudioTrack | None = None
        self._noticed: set[str] = set()  # of the same track, whatever of it is made anew
        self.page = SpeechPage(self)
        self.menu = MainMenu(self)
        self.setWindowTitle(APPLICATION_NAME)
        self.setCentralWidget(self.page)
        self.setMenuBar(self.menu)
        self.menu.add_editing(self.page.editor)
        self.memory = WindowMemory(self, self.page, settings, texts or RecentTexts())
        self.closing = Closing(self, controller, self.memory)
        self._connect_page()
        self._connect_menu()
        self._connect_controller()
        self.memory.failed.connect(self._on_not_kept)
        self.memory.restore()
        self.menu.choose(settings.appearance)
        self.page.set_colours(theme.colours)
        self.page.editor.setFocus()

    @property
    def request(self) -> SpeechRequest:
        """The current text with the chosen voice, speed and pauses; the voice is empty while none is known."""
        header = self.page.header
        pauses = header.pauses.pause_scale
        return SpeechRequest(self.page.editor.text, header.voices.voice or "", header.speed.speed, pause_scale=pauses)

    @Slot()
    def speak(self) -> None:
        """Speak what is selected of the current text, or else all of it."""
        self.speak_part(*(self.page.editor.selection or (0, None)))

    def speak_part(self, start: int, end: int | None = None) -> None:
        """Speak these characters of the current text, as soon as the voices are known."""
        wanted = replace(self.request, start=start, end=end)
        if not wanted.text.strip():
            self.show_failure(NothingToSpeak("There is nothing to speak yet.", "Type or paste some text."))
        elif not self.page.header.voices.known:
            self._for_later = wanted
        else:
            self._speak(wanted)

    @Slot()
    def come_to_front(self) -> None:
        """Be seen, even if it was minimized."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot()
    def save_as(self) -> None:
        """Ask where, then save the speech of the current text."""
        text = self.page.editor.text
        if text.strip():
            ask_where_to_save(self, self._settings.save_folder / suggested_name(text), self.save_to)
        else:
            self.show_failure(NothingToSpeak("There is nothing to save yet.", "Type or paste some text."))

    def save_to(self, path: Path) -> None:
        """Save the speech of the current text; a name whose suffix is no format is refused before it is made."""
        from engine.audio.sound_file import format_for  # not before the window is shown

        self._settings.save_folder = path.parent
        try:
            format_for(path)
        except OutputError as error:
            self.show_failure(error)
            return
        self._clear_banner()
        self._controller.save(path, self.request)

    @Slot(object)
    def show_failure(self, error: Exception) -> None:
        """Show what went wrong, in the window, which therefore stays open."""
        self.closing.stay()
        self.page.banner.show_message(message_for(error))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop the sound and save everything, or ask first."""
        if not self.closing.may_close():
            event.ignore()
            return
        super().closeEvent(event)
        self.closed.emit()

    def _connect_page(self) -> None:
        page, controller = self.page, self._controller
        page.header.speak_button.speak_wanted.connect(self.speak)
        page.header.speak_button.toggle_wanted.connect(controller.toggle_playback)
        page.header.stop_button.clicked.connect(controller.stop)
        page.editor.edit.copyAvailable.connect(page.header.speak_button.show_selection)
        page.editor.edit.copyAvailable.connect(self.menu.show_selection)
        page.header.save_button.clicked.connect(self.save_as)
        page.editor.text_changed.connect(self._on_text)
        page.editor.edit.files_given.connect(self.files_given)
        page.banner.remedy_chosen.connect(self._on_remedy)
        page.player.seek_wanted.connect(controller.player.seek)
        page.player.toggle_wanted.connect(controller.toggle_playback)
        self._theme.changed.connect(page.set_colours)

    def _connect_menu(self) -> None:
        menu, page = self.menu, self.page
        for action, slot in (
            (menu.save, self.save_as),
            (menu.close_window, self._close_window),
            (menu.quit, self.close),
            (menu.speak, self.speak),
            (menu.stop, self._controller.stop),
            (menu.toggle, self._controller.toggle_playback),
            (menu.back, page.player.go_back),
            (menu.forward, page.player.go_forward),
            (menu.faster, page.header.speed.faster),
            (menu.slower, page.header.speed.slower),
            (menu.usual_speed, page.header.speed.reset),
        ):
            action.triggered.connect(slot)
        menu.recent_menu.aboutToShow.connect(self._offer_texts)
        menu.recent_menu.triggered.connect(self._on_recent_text)
        menu.appearances.triggered.connect(self._on_appearance)

    def _connect_controller(self) -> None:
        page, controller = self.page, self._controller
        for follower in (page.header.speak_button, page.header.stop_button, page.status, page.save_strip, self.menu):
            controller.activity_changed.connect(follower.follow)
        page.save_strip.cancel_wanted.connect(controller.cancel_save)
        controller.voices_listed.connect(self._on_voices)
        controller.planned.connect(self._on_planned)
        controller.utterance_changed.connect(page.editor.mark)
        controller.track_changed.connect(self._on_track)
        controller.track_changed.connect(page.player.show_track)
        controller.track_grew.connect(page.player.refresh)
        for moved in (controller.player.position_changed, controller.player.jumped):
            moved.connect(page.player.show_position)
        controller.player.playback_changed.connect(page.player.transport.show_playback)
        controller.player.playback_changed.connect(self._on_playback)
        controller.failed.connect(self.show_failure)
        controller.saved.connect(self._on_saved)

    @Slot()
    def _close_window(self) -> None:
        """Close the window that has the keyboard: this one, or one that belongs to it."""
        (QApplication.activeWindow() or self).close()

    @Slot(object)
    def _on_voices(self, listed: VoicesListed) -> None:
        self.page.header.voices.show_models(listed.models, listed.ready_model)
        wanted = self._for_later
        if wanted is not None and self.page.header.voices.known:  # of the text as it was when that was wanted
            self._speak(replace(self.request, text=wanted.text, start=wanted.start, end=wanted.end))

    def _speak(self, request: SpeechRequest) -> None:
        self._clear_banner()
        self.page.editor.follow()
        self._controller.speak(request)

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        """Begin to mark another speech; one whose rest is made anew is marked where its text is by now."""
        self._for_later = None
        if track is not self._marked:
            self._marked, self._noticed = track, set()
            self.page.editor.begin_speech(self._controller.text)

    @Slot(object)
    def _on_planned(self, plan: Plan) -> None:
        self.page.editor.remember_spans(plan.utterances)
        noticed = {each.message for each in plan.notices}
        if plan.whole and noticed - self._noticed:
            self._noticed = noticed
            message = message_for_notices(plan.notices)
            if self._controller.text != self.page.editor.text:  # its places are not in this one
                message = replace(message, remedy=None, about_text=False)
            self.page.banner.show_message(message)

    @Slot(object)
    def _on_not_kept(self, error: Exception) -> None:
        """Say so for as long as it is true: a banner that was closed, or gave way to another, comes again."""
        message = replace(message_for(error), lasts=True)
        if self.page.banner.message != message:
            self.page.banner.show_message(message)

    def _clear_banner(self) -> None:
        """Dismiss what was said about the speech before."""
        message = self.page.banner.message
        if message is not None and not message.lasts:
            self.page.banner.dismiss()

    @Slot(object)
    def _on_playback(self, playback: Playback) -> None:
        message = self.page.banner.message
        about_sound = message is not None and message.remedy in (Remedy.PLAY_ON, Remedy.SAVE)
        if playback is Playback.PLAYING and about_sound:
            self.page.banner.dismiss()

    @Slot(object)
    def _on_saved(self, path: Path) -> None:
        self.page.status.tell(f"Saved {path.name} in {path.parent}")

    @Slot()
    def _on_text(self) -> None:
        self.page.status.count(self.page.editor.text)
        message = self.page.banner.message
        if message is not None and message.about_text:
            self.page.banner.dismiss()

    @Slot(object)
    def _on_appearance(self, action: QAction) -> None:
        self._settings.appearance = action.data()
        self._theme.choose(action.data())

    @Slot()
    def _offer_texts(self) -> None:
        self.memory.remember_text()
        self.menu.offer_texts(self.memory.texts)

    @Slot(QAction)
    def _on_recent_text(self, action: QAction) -> None:
        self.page.editor.set_text(action.data())

    def _try_again(self) -> None:
        if not self.page.header.voices.known:
            self._controller.list_voices()
        self._controller.prepare()

    @Slot(object)
    def _on_remedy(self, message: Message) -> None:
        match message.remedy:
            case Remedy.TRY_AGAIN | Remedy.COMPILE_AGAIN:
                self._try_again()
            case Remedy.EDIT_TEXT:
                self.page.editor.setFocus()
            case Remedy.CHOOSE_VOICE:
                self.page.header.voices.showPopup()
            case Remedy.SAVE | Remedy.SAVE_ELSEWHERE:
                self.save_as()
            case Remedy.PLAY_ON:
                self._controller.player.play_on_current_device()
            case Remedy.SHOW_IN_TEXT:
                self.page.editor.select(*message.span)
            case Remedy.COPY_DETAILS:
                QGuiApplication.clipboard().setText(message.details)
