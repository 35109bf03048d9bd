"""The main window, which connects its page and its menu with the speech controller."""

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
from app.messages import Message, MessageAction, MessageTopic, message_for, message_for_notices
from app.reading.places import ReadingPositions
from app.reading.reading import Reading
from app.recent_texts import RecentTexts
from app.settings import Settings
from app.speech.controller import SpeechController
from app.speech.engine_worker import VoicesListed
from app.speech.page import SpeechPage
from app.speech.speak_button import PlayCommand
from app.theme import Theme
from app.window_memory import WindowMemory
from engine.speech import Plan, SpeechRequest
from engine.system.paths import APPLICATION_NAME


class MainWindow(QMainWindow):
    """The main window, which plays one utterance at a time; `closed` is emitted once everything is saved.

    `file_requested` carries the path of a document to open, `files_given` paths that were dropped or pasted;
    `item_requested` asks to show the item of the queue or the history that is playing.
    """

    closed = Signal()
    item_requested = Signal()
    file_requested = Signal(object)
    files_given = Signal(list)

    def __init__(
        self,
        controller: SpeechController,
        settings: Settings,
        theme: Theme,
        texts: RecentTexts | None = None,
        places: ReadingPositions | None = None,
    ) -> None:
        super().__init__()
        self._controller = controller
        self._settings = settings
        self._theme = theme
        self._marked: AudioTrack | None = None
        self._noticed: set[str] = set()  # for the same track, even if part of it is regenerated
        self.page = SpeechPage(self)
        self.menu = MainMenu(self)
        self.setWindowTitle(APPLICATION_NAME)
        self.setCentralWidget(self.page)
        self.setMenuBar(self.menu)
        self.menu.add_editing(self.page)
        self.reading = Reading(
            controller,
            places or ReadingPositions(),
            self._speech_settings,
            self._own_text,
            self,
            notes=settings.notes_read,
        )
        self.memory = WindowMemory(self, self.page, settings, texts or RecentTexts())
        self.closing = Closing(self, controller, self.memory)
        self._connect_page()
        self._connect_menu()
        self._connect_controller()
        self.memory.failed.connect(self._on_not_kept)
        self.memory.text_saved.connect(self.reading.keep_own_place)
        self.memory.restore()
        self.menu.choose(settings.appearance)
        self.page.editor.setFocus()

    @property
    def request(self) -> SpeechRequest:
        """A request for the text on display with its edits and definitions, and the chosen voice, speed and pauses.

        `voice` is empty while unknown.
        """
        reading, text = self.reading, self.reading.text
        edits, definitions = reading.edits_of(text), reading.definitions_of(text)
        return replace(self.chosen, text=text, edits=edits, definitions=definitions)

    @property
    def chosen(self) -> SpeechRequest:
        """The chosen voice, speed and pauses, without a text."""
        header = self.page.header
        return SpeechRequest("", header.voices.voice or "", header.speed.speed, pause_scale=header.pauses.pause_scale)

    @Slot()
    def play(self) -> None:
        """Pause if playing; otherwise play the selection, or play from the position."""
        selection = self.page.view.selection
        if selection is not None and self._controller.playback is Playback.STOPPED:
            self.reading.play_part(*selection)
        else:
            self.reading.toggle()

    def show_document(self, title: str | None, path: Path | None) -> None:
        """Show the title of the open document, None for the user's text; a Mac also shows its file in the title bar."""
        self.setWindowTitle(f"{title} — {APPLICATION_NAME}" if title else APPLICATION_NAME)
        self.setWindowFilePath(str(path) if path is not None else "")

    @Slot()
    def come_to_front(self) -> None:
        """Show and activate the window, even if it is minimized."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot(object)
    def show_failure(self, error: Exception) -> None:
        """Show a failure in the window, which therefore stays open."""
        self.closing.stay()
        self.page.banner.show_message(message_for(error))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop playback and save everything, or ask first."""
        if not self.closing.may_close():
            event.ignore()
            return
        super().closeEvent(event)
        self.closed.emit()

    def _connect_page(self) -> None:
        page, controller = self.page, self._controller
        page.header.speak_button.show_action(self.menu.play)
        page.player.transport.show_action(self.menu.play)
        page.header.stop_button.clicked.connect(self.reading.stop)
        for view in (page.editor, page.book):
            view.selection_changed.connect(self._show_description)
        page.book.toggle_requested.connect(self.menu.play.trigger)
        page.editor.text_edited.connect(self.reading.edited)
        page.editor.text_replaced.connect(self._on_replaced)
        page.editor.text_changed.connect(self._on_text)
        page.editor.edit.files_given.connect(self.files_given)
        page.banner.action_chosen.connect(self._on_message_action)
        page.player.seek_requested.connect(controller.player.seek)
        page.player.toggle_requested.connect(self.menu.play.trigger)

    def _connect_menu(self) -> None:
        menu, page = self.menu, self.page
        for action, slot in (
            (menu.close_window, self._close_window),
            (menu.quit, self.close),
            (menu.play, self.play),
            (menu.stop, self.reading.stop),
            (menu.back, page.player.go_back),
            (menu.forward, page.player.go_forward),
            (menu.faster, page.header.speed.faster),
            (menu.slower, page.header.speed.slower),
            (menu.normal_speed, page.header.speed.reset),
        ):
            action.triggered.connect(slot)
        menu.recent_menu.aboutToShow.connect(self._offer_texts)
        menu.recent_menu.triggered.connect(self._on_recent_text)
        menu.appearances.triggered.connect(self._on_appearance)

    def _connect_controller(self) -> None:
        page, controller = self.page, self._controller
        for follower in (page.header.stop_button, page.status, page.save_strip, self.menu):
            controller.activity_changed.connect(follower.show_activity)
        page.save_strip.cancel_requested.connect(controller.saving.cancel)
        controller.voices_listed.connect(self._on_voices)
        controller.planned.connect(self._on_planned)
        controller.track_changed.connect(self._on_track)
        controller.track_changed.connect(page.player.show_track)
        controller.track_grew.connect(page.player.refresh)
        for moved in (controller.player.position_changed, controller.player.jumped):
            moved.connect(page.player.show_position)
        controller.player.playback_changed.connect(self._show_description)
        controller.player.playback_changed.connect(self.reading.finish)
        self.reading.changed.connect(self._show_description)
        self.reading.text_changed.connect(self._count)
        self.reading.refused.connect(self.show_failure)
        controller.player.playback_changed.connect(self._on_playback)
        controller.failed.connect(self.show_failure)
        controller.saved.connect(self._on_saved)

    @Slot()
    def _close_window(self) -> None:
        """Close the active window: this one, or one that belongs to it."""
        (QApplication.activeWindow() or self).close()

    @Slot(object)
    def _on_voices(self, listed: VoicesListed) -> None:
        self.page.header.voices.show_models(listed.models, listed.ready_model)
        if self.page.header.voices.known:
            self.reading.begin_waiting()

    def _speech_settings(self) -> SpeechRequest | None:
        return self.chosen if self.page.header.voices.known else None

    def _own_text(self) -> str:
        return self.page.editor.text

    @Slot()
    def _show_description(self) -> None:
        """Show the current effect of Play."""
        playback = self._controller.playback
        if playback is Playback.PLAYING:
            command = PlayCommand.PAUSE
        elif playback is Playback.STOPPED and self.page.view.selection is not None:
            command = PlayCommand.SELECTION
        elif playback is Playback.STOPPED and self.reading.text.strip() and self.reading.at_end:
            command = PlayCommand.BEGINNING
        else:
            command = PlayCommand.PLAY
        self.menu.show_play_command(command)

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        """Start highlighting a new track; a track that is being regenerated keeps its highlights."""
        if track is self._marked:
            return
        self._marked, self._noticed = track, set()
        shown = self.reading.shows_spoken
        for view in (self.page.editor, self.page.book):
            view.begin_speech(self._controller.text if shown and view is self.page.view else "")
        if not track.finished:  # otherwise it was generated before, or has been restored
            self.page.banner.withdraw(MessageTopic.SPEECH, MessageTopic.SOUND, MessageTopic.TEXT)
            self.page.view.resume_following()

    @Slot(object)
    def _on_planned(self, plan: Plan) -> None:
        self.page.view.remember_spans(plan.utterances)
        noticed = {each.message for each in plan.notices}
        if plan.whole and noticed - self._noticed:
            self._noticed = noticed
            message = message_for_notices(plan.notices)
            if self._controller.text != self.reading.text:  # its positions do not apply to the text on display
                message = replace(message, action=None, topic=MessageTopic.SPEECH)
            self.page.banner.show_message(message)

    @Slot(object)
    def _on_not_kept(self, error: Exception) -> None:
        """Show the banner again until saving succeeds, even after it was dismissed or replaced."""
        self.page.banner.show_message(replace(message_for(error), topic=MessageTopic.STORAGE))

    @Slot(object)
    def _on_playback(self, playback: Playback) -> None:
        if playback is Playback.PLAYING:
            self.page.banner.withdraw(MessageTopic.SOUND)

    @Slot()
    def _on_saved(self) -> None:
        self.page.banner.withdraw(MessageTopic.FILE)

    @Slot()
    def _on_replaced(self) -> None:
        self.reading.begin_text()

    @Slot()
    def _on_text(self) -> None:
        self._count()
        self._show_description()
        self.page.banner.withdraw(MessageTopic.TEXT, MessageTopic.DOCUMENT)

    @Slot()
    def _count(self) -> None:
        self.page.status.count(self.reading.text)

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

    @Slot(object)
    def _on_message_action(self, message: Message) -> None:
        match message.action:
            case MessageAction.TRY_AGAIN | MessageAction.COMPILE_AGAIN:
                if not self.page.header.voices.known:
                    self._controller.list_voices()
                self._controller.prepare()
            case MessageAction.EDIT_TEXT:
                self.page.focus_text()
            case MessageAction.CHOOSE_VOICE:
                self.page.header.voices.showPopup()
            case MessageAction.PLAY_ON:
                self._controller.player.play_on_current_device()
            case MessageAction.SHOW_IN_TEXT:
                self.page.view.select(*message.span)
            case MessageAction.COPY_DETAILS:
                QGuiApplication.clipboard().setText(message.details)
