"""The export feature in the window: the Save Audio command and the handling of its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QDialog

from app.export.records import ExportRecords
from app.export.scope import Part, Scope, scope_of, scope_of_order
from app.main_window import MainWindow
from app.messages import Message, MessageAction, MessageTopic, Severity
from app.settings import Settings
from app.speech.activity import Activity
from app.speech.controller import SpeechController
from app.speech.engine_worker import EngineFactory
from app.widgets.file_dialogs import ask_to_replace
from engine.errors import EngineError, NothingToSpeak, OutputError
from engine.export.export_job import ExportJob, ExportProgress
from engine.export.stored_jobs import StoredJob, StoredJobs


class ExportFeature(QObject):
    """Connects the Export dialog, running exports and interrupted ones to the window.

    `parts` returns the open document and parts of it, most likely choice first, or raises an `EngineError`.
    `engine_factory` returns the engine factory of a model, so that an interrupted export resumes with its original
    model. `saved` carries a title and a sentence about a finished export, `reveal_requested` a path to show.
    """

    saved = Signal(str, str)
    reveal_requested = Signal(object)

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        settings: Settings,
        parts: Callable[[], Sequence[Part]],
        engine_factory: Callable[[str], EngineFactory],
        orders: StoredJobs | None = None,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._speech = speech
        self._settings = settings
        self._parts = parts
        self._engine_factory = engine_factory
        self._failed: ExportJob | None = None
        self._interrupted: list[StoredJob] = []
        self._records = ExportRecords(orders or StoredJobs(), self)
        self._connect()
        self._connect_strip()

    @Slot()
    def open(self) -> QDialog | None:
        """Ask what to export and how, in a dialog that does not block the window."""
        try:
            window = self._window
            scopes = [
                scope_of(part, window.chosen, window.reading.edits_of, window.reading.path) for part in self._parts()
            ]
        except EngineError as error:
            self._window.show_failure(error)
            return None
        if not any(scope.document.characters for scope in scopes):
            self._window.show_failure(NothingToSpeak("There’s nothing to save yet.", "Type or paste some text."))
            return None
        return self._ask(scopes)

    @Slot()
    def look_for_interrupted(self) -> None:
        """Offer to resume exports whose process was killed."""
        self._records.look()

    def shut_down(self, timeout_ms: int) -> bool:
        """Finish saving the records for the next start; return whether that succeeded in time."""
        return self._records.shut_down(timeout_ms)

    @Slot(object)
    def show_path(self, path: Path) -> None:
        """Show the folder of a file when there is no file manager to open it."""
        self._window.page.status.show_message(f"No file manager was found. The folder is {path.parent}.")

    def _connect(self) -> None:
        window, speech = self._window, self._speech
        for trigger in (window.menu.save.triggered, window.page.header.save_button.clicked):
            trigger.connect(self.open)
        window.menu.stop_saving.triggered.connect(speech.saving.cancel)
        window.page.banner.action_chosen.connect(self._on_message_action)
        speech.activity_changed.connect(self._on_activity)
        speech.saving.ended.connect(self._on_ended)
        speech.saved.connect(self._on_saved)

    def _connect_strip(self) -> None:
        strip = self._window.page.save_strip
        strip.reveal_requested.connect(self.reveal_requested)
        strip.resume_requested.connect(self._on_resume)
        strip.discard_requested.connect(self._on_discard)
        self._records.found.connect(self._on_found)

    def _ask(self, scopes: Sequence[Scope]) -> QDialog:
        from app.export.dialog import ExportDialog  # imports the audio file writers

        settings = self._settings
        dialog = ExportDialog(scopes, settings.save_folder, self._window, preferred=settings.export_format)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.ordered.connect(self._on_ordered)
        dialog.open()
        return dialog

    @Slot(object)
    def _on_ordered(self, order: ExportJob) -> None:
        if not order.speech_settings.voice:  # no voice was known when the dialog opened
            order = replace(order, speech_settings=replace(order.speech_settings, voice=self._window.request.voice))
        self._settings.save_folder = order.path.parent
        self._window.page.banner.withdraw(MessageTopic.FILE)
        self._records.keep(order, self._window.page.header.voices.speaking_model)
        self._speech.export(order)

    @Slot(object, object, object)
    def _on_ended(self, order: ExportJob, error: Exception | None, progress: ExportProgress | None) -> None:
        self._failed = order if isinstance(error, OutputError) else None
        self._records.forget(order)
        if error is None and progress is not None and progress.unmarked_words:
            count = progress.unmarked_words
            words = f"Words not found in the pages of “{order.path.name}”, and not highlighted: {count:,}."
            self._window.page.banner.show_message(Message(words, Severity.NOTE, topic=MessageTopic.DOCUMENT))

    @Slot(object)
    def _on_saved(self, path: Path) -> None:
        self._window.page.save_strip.show_saved(path)
        self.saved.emit("Export Finished", f"“{path.name}” was saved in {path.parent.name or path.parent}.")

    @Slot(object)
    def _on_found(self, kept: StoredJob) -> None:
        self._interrupted.append(kept)
        self._offer()

    def _offer(self) -> None:
        """Offer to resume the first interrupted export, if any."""
        kept = self._interrupted[0].order.result.name if self._interrupted else ""
        self._window.page.save_strip.offer_resume(kept)

    @Slot()
    def _on_resume(self) -> None:
        """Resume the export; a file that now has its name is replaced only if the user agrees."""
        order = self._interrupted[0].order
        if order.path.exists() and not order.per_chapter:
            ask_to_replace(self._window, [order.path], self._resume)
        else:
            self._resume()

    @Slot()
    def _resume(self) -> None:
        kept = self._interrupted.pop(0)
        self._offer()
        if kept.model == self._window.page.header.voices.speaking_model:
            self._speech.export(kept.order)
        else:
            self._speech.saving.add(kept.order, self._engine_factory(kept.model))

    @Slot()
    def _on_discard(self) -> None:
        self._records.discard(self._interrupted.pop(0).order)
        self._offer()

    @Slot(object)
    def _on_message_action(self, message: Message) -> None:
        failed, self._failed = self._failed, None
        if message.action is MessageAction.SAVE_ELSEWHERE and failed is not None:
            self._ask([scope_of_order(failed)])
        elif message.action in (MessageAction.SAVE, MessageAction.SAVE_ELSEWHERE):
            self.open()

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        self._window.menu.stop_saving.setEnabled(activity.saving)
