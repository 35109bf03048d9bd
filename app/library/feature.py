"""Connects the history and the queue to the window: panels in the side bar, menu entries, and saved audio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.audio.track import AudioTrack
from app.library.database import LibraryReset, LibraryUnusable
from app.library.library import LoadedEntry, SpeechLibrary
from app.library.panels import HistoryPanel, QueuePanel
from app.library.queue_executor import QueueExecutor, read_default_parts
from app.library.queue_runner import QueueRunner
from app.library.records import HistoryEntry, QueueItem, QueueJob, first_words
from app.main_window import MainWindow
from app.messages import Message, MessageTopic, Severity, message_for
from app.reading.opener import Reader
from app.settings import Settings
from app.speech.controller import SpeechController
from app.speech.engine_worker import EngineFactory
from app.speech.heard_speech import HeardSpeech
from app.speech.voice_choice import VoiceChoice
from app.widgets.file_dialogs import ask_where_to_save, ask_which_document, suggested_name
from engine.errors import NothingToSpeak, OutputError
from engine.speech import SpeechRequest
from engine.system.paths import data_folder

BOOK_SUFFIX = ".m4b"


class LibraryFeature(QObject):
    """The history and the queue in the window. Only with `in_charge` is speech recorded in the history.

    `read` returns the part of a queued document that is to be spoken, and is called in a thread.
    """

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        settings: Settings,
        engine_factory: Callable[[str], EngineFactory],
        folder: Path | None = None,
        in_charge: bool = True,
        read: Reader = read_default_parts,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._speech = speech
        self._settings = settings
        self._voices = window.page.header.voices
        self._shown_error: str | None = None
        self._recalling: int | None = None
        self._opening: int | None = None
        self.library = SpeechLibrary(folder or data_folder() / "library", in_charge, self)
        self.history, self.queue = HistoryPanel(), QueuePanel()
        self._desk = QueueExecutor(speech, window.reading, self._voices, engine_factory, self, read)
        self.runner = QueueRunner(self.library, self._desk, self)
        if not in_charge:
            self.runner.halt()  # the instance in charge works through the queue
        else:
            self._recorder = Recorder(speech, self.library, self._speaking_model, self)
        self._connect_history()
        self._connect_queue()
        self._connect_window()

    def shut_down(self, timeout_ms: int) -> bool:
        """Finish pending writes, then stop; return whether that was done in time."""
        reading_ended = self._desk.shut_down(timeout_ms)
        return self.library.shut_down(timeout_ms) and reading_ended

    @Slot()
    def add_to_queue(self) -> None:
        """Add the current text to the queue, to be played."""
        if self._has_text():
            self.runner.add(self._job)
            self._window.page.status.show_message("Added to the queue")

    @Slot()
    def queue_file(self) -> None:
        """Ask where to save the current text, then add it to the queue."""
        if self._has_text():
            job = self._job
            suggestion = self._settings.save_folder / suggested_name(job.request.text)
            ask_where_to_save(self._window, suggestion, partial(self._add_file, job))

    @Slot()
    def queue_document(self) -> None:
        """Ask for a document, then add it to the queue, to be played."""
        ask_which_document(self._window, self._settings.save_folder, self.add_document, "Add Document to Queue")

    @Slot()
    def queue_document_file(self) -> None:
        """Ask for a document and where to save it, then add it to the queue."""
        ask_which_document(self._window, self._settings.save_folder, self._ask_where, "Add Document to Queue as File")

    def add_document(self, document: Path, target: Path | None = None) -> None:
        """Add a document to the queue, to be played, or saved to `target`; it is read when its turn comes."""
        request = self._window.chosen
        self.runner.add(QueueJob(request, self._voices.speaking_model, target, document))
        self._window.page.status.show_message(f"Added {document.name} to the queue")

    def _ask_where(self, document: Path) -> None:
        suggestion = self._settings.save_folder / f"{document.stem}{BOOK_SUFFIX}"
        ask_where_to_save(self._window, suggestion, partial(self._add_document_file, document))

    def _add_document_file(self, document: Path, target: Path) -> None:
        if self._can_write(target):
            self.add_document(document, target)

    def save_to(self, path: Path) -> None:
        """Add the current text to the queue, to be saved to a file."""
        self._add_file(self._job, path)

    @property
    def _job(self) -> QueueJob:
        """A job that plays the current text."""
        return QueueJob(self._window.request, self._voices.speaking_model)

    def _add_file(self, job: QueueJob, path: Path) -> None:
        if self._can_write(path):
            self.runner.add(replace(job, target=path))

    def _can_write(self, path: Path) -> bool:
        """Refuse a file name with an unsupported suffix before it is queued; return whether it was accepted."""
        from engine.audio.sound_file import format_for  # deferred until the window is shown

        try:
            format_for(path)
        except OutputError as error:
            self._window.show_failure(error)
            return False
        self._settings.save_folder = path.parent
        return True

    def _connect_history(self) -> None:
        panel, library = self.history, self.library
        library.history_listed.connect(panel.show_entries)
        library.recalled.connect(self._on_recalled)
        panel.hear_requested.connect(self._on_hear)
        panel.open_requested.connect(self._on_open)
        for other_wish in (
            self._speech.track_changed,
            self._window.menu.stop.triggered,
            self._window.page.header.stop_button.clicked,
        ):
            other_wish.connect(self._forget_recalling)
        panel.star_requested.connect(self._on_star)
        panel.delete_requested.connect(self._on_delete)
        panel.bring_back_requested.connect(library.bring_back)
        panel.looked_for.connect(library.look_for)
        panel.limit_chosen.connect(self._on_limit)
        self._settings.changed.connect(self._on_setting)
        self._on_setting(Settings.kept_megabytes)

    def _connect_queue(self) -> None:
        panel, runner = self.queue, self.runner
        self.library.queue_listed.connect(panel.show_items)
        runner.changed.connect(self._on_runner)
        panel.play_requested.connect(runner.play)
        panel.moved.connect(self._on_moved)
        panel.retry_requested.connect(runner.retry)
        panel.cancel_requested.connect(runner.cancel)
        panel.remove_requested.connect(runner.remove)
        panel.remove_done_requested.connect(self.library.remove_done)

    def _connect_window(self) -> None:
        window, library = self._window, self.library
        for title, panel, keys in (("History", self.history, "Ctrl+2"), ("Queue", self.queue, "Ctrl+3")):
            window.menu.add_view(window.page.side_bar.add(title, panel), keys)
        window.menu.add_to_queue.triggered.connect(self.add_to_queue)
        window.menu.queue_file.triggered.connect(self.queue_file)
        window.menu.queue_document.triggered.connect(self.queue_document)
        window.menu.queue_document_file.triggered.connect(self.queue_document_file)
        window.item_requested.connect(self._show_item)
        window.closing.saving_given_up.connect(self.runner.halt)
        library.failed.connect(self._on_failed)
        library.set_aside.connect(self._on_library_reset)

    def _has_text(self) -> bool:
        if self._window.request.text.strip():
            return True
        self._window.show_failure(NothingToSpeak("There’s nothing to add yet.", "Type or paste some text."))
        return False

    def _speaking_model(self) -> str:
        return self._voices.speaking_model

    @Slot(object)
    def _on_hear(self, entry: HistoryEntry) -> None:
        self._recalling = entry.number
        self.library.recall(entry.number)

    @Slot(object)
    def _on_open(self, entry: HistoryEntry) -> None:
        """Open the text of an entry in the editor."""
        self._opening = entry.number
        self.library.recall(entry.number)

    @Slot()
    def _forget_recalling(self) -> None:
        """Forget the requested entry: a later request takes priority, however long the audio takes to load."""
        self._recalling = None

    @Slot(object)
    def _on_recalled(self, recalled: LoadedEntry) -> None:
        """Play the entry, regardless of the open text; generate its audio again if there is none."""
        if recalled.kept.number == self._opening:
            self._opening = None
            self._window.page.editor.set_text(recalled.kept.request.text)
            self._window.page.show_text()
        if recalled.kept.number != self._recalling:
            return
        self._forget_recalling()
        request = recalled.kept.request
        title, play = first_words(request.text[request.start :]), self._window.reading.play_item
        if recalled.track is not None:
            play(title, request, recalled.track)
        else:
            if recalled.kept.model != self._voices.speaking_model:
                self._voices.choose_voice(VoiceChoice(request.voice, recalled.kept.model))
            play(title, request)
            if recalled.error is not None:
                self._window.show_failure(recalled.error)
            else:
                self._window.page.status.show_message("The audio wasn’t saved. Generating it again…")

    @Slot()
    def _show_item(self) -> None:
        """Show the panel that lists the item now playing."""
        self._window.page.side_bar.open(self.queue if self._desk.hears else self.history)

    @Slot(object)
    def _on_star(self, entry: HistoryEntry) -> None:
        self.library.star(entry.number, not entry.starred)

    @Slot(object)
    def _on_delete(self, entry: HistoryEntry) -> None:
        self.library.delete(entry.number)

    @Slot(object)
    def _on_limit(self, megabytes: int) -> None:
        self._settings.kept_megabytes = megabytes

    @Slot(object)
    def _on_setting(self, setting: object) -> None:
        if setting is Settings.kept_megabytes:
            self.history.set_limit(self._settings.kept_megabytes)
            self.library.limit(self._settings.kept_megabytes)

    @Slot(object, int)
    def _on_moved(self, item: QueueItem, steps: int) -> None:
        self.library.move(item.number, steps)

    @Slot()
    def _on_runner(self) -> None:
        self.queue.show_playing(self.runner.playing, self.runner.note)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        """Show the same error only once, since each task of an unusable library fails."""
        if str(error) != self._shown_error or not isinstance(error, LibraryUnusable):
            self._shown_error = str(error)
            self._window.page.banner.show_message(replace(message_for(error), topic=MessageTopic.STORAGE))

    @Slot(object)
    def _on_library_reset(self, aside: LibraryReset) -> None:
        self._window.page.banner.show_message(
            Message(
                "Your history and queue were damaged and have been reset. The old data was moved to "
                f"{aside.folder}; you can delete it.",
                Severity.WARNING,
                topic=MessageTopic.STORAGE,
            )
        )


@dataclass(eq=False)
class _RecordedSpeech:
    """A recorded speech; `kept_length` is the length of its saved audio, in samples."""

    speech: HeardSpeech
    request: SpeechRequest
    model: str
    kept_length: int = 0


class Recorder(QObject):
    """Records speech in the history: its text as soon as it begins, and its audio when it finishes or is stopped."""

    def __init__(
        self, speech: SpeechController, library: SpeechLibrary, model: Callable[[], str], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._speech = speech
        self._library = library
        self._model = model
        self._followed: list[_RecordedSpeech] = []
        speech.track_changed.connect(self._on_track)
        speech.track_grew.connect(self._keep_finished)

    @Slot(object)
    def _on_track(self, track: AudioTrack) -> None:
        self._keep_finished()
        request = self._speech.request
        if request is None or any(each.speech.track is track for each in self._followed):
            return
        kept_length = track.length if track.finished else 0
        self._followed.append(_RecordedSpeech(self._speech.speech, request, self._model(), kept_length))
        if not track.finished:  # a finished track comes from the history
            self._library.add_entry(request, self._model())

    @Slot()
    def _keep_finished(self) -> None:
        """Save finished tracks. The current track may still grow, and is then saved again.

        Audio in a voice other than the entry's is not saved, nor audio that is no longer than the saved one.
        """
        for each in [each for each in self._followed if each.speech.track.finished]:
            track = each.speech.track
            if track.length > each.kept_length and each.speech.as_asked:
                each.kept_length = track.length
                self._library.save_audio(each.request, each.model, track)
            if track is not self._speech.track:
                self._followed.remove(each)
