"""The models feature in the window: dialog, menu, strip, and the jobs behind them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from app.main_window import MainWindow
from app.messages import Message, MessageAction, MessageTopic, message_for
from app.models.controller import ModelController
from app.models.dialog import ModelsDialog
from app.models.model_upgrader import ModelUpgrader, missing_model
from app.models.row import ModelRow, describe_completion
from app.models.worker import JobEnded, LibraryFactory, ModelJob, ModelTask, StoreLibrary
from app.settings import Settings
from app.speech.controller import SpeechController
from app.system.desktop import reveal
from engine.errors import EngineError
from engine.models.installed_voices import ModelVoices
from engine.speech import STARTER


class ModelsFeature(QObject):
    """Connects model management to the window.

    `engine_requested` is emitted when a different model should be used, or the one in use has changed.
    """

    engine_requested = Signal()

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        settings: Settings,
        make_library: LibraryFactory | None = None,
        fetch: str | None = None,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._voices = window.page.header.voices
        self._remembered = settings.model
        self._early: tuple[ModelVoices, ...] = ()
        self.controller = ModelController(make_library or StoreLibrary, self._voices.speaking_model, self)
        self.dialog = ModelsDialog(window)
        self._connect_dialog()
        self._connect_window()
        self.controller.voices_listed.connect(self._on_voices)
        self.controller.rows_changed.connect(self._on_rows)
        self.upgrade = ModelUpgrader(window, speech, settings, self.controller, fetch)
        self.controller.done.connect(self._on_done)
        self.controller.failed.connect(self._on_failed)

    @Slot()
    def open(self) -> None:
        """Show the Models window."""
        self.controller.look()
        self.dialog.open_window()

    @Slot(str)
    def use(self, name: str) -> None:
        """Use this model from now on."""
        if name != self._voices.speaking_model:
            self._voices.choose_model(name)

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop everything; return whether it ended in time."""
        return self.controller.shut_down(timeout_ms)

    def _connect_dialog(self) -> None:
        dialog, controller = self.dialog, self.controller
        dialog.fetch_requested.connect(self._on_fetch)
        dialog.cancel_requested.connect(controller.cancel)
        dialog.use_requested.connect(self.use)
        dialog.verify_requested.connect(controller.verify)
        dialog.remove_requested.connect(controller.remove)
        dialog.import_requested.connect(controller.import_files)
        dialog.retry_requested.connect(controller.retry)
        dialog.reveal_requested.connect(self._on_reveal)

    def _connect_window(self) -> None:
        menu, page = self._window.menu, self._window.page
        menu.models.triggered.connect(self.open)
        menu.model_actions.triggered.connect(self._on_model)
        page.banner.action_chosen.connect(self._on_message_action)
        page.header.voices.model_changed.connect(self._on_model_changed)
        page.header.voices.listed.connect(self._on_listed)
        self._window.closed.connect(self.dialog.close)

    @Slot(str)
    def _on_model_changed(self, name: str) -> None:
        self._window.page.banner.withdraw(MessageTopic.MODEL, MessageTopic.SPEECH)
        self.controller.set_in_use(name)

    @Slot(object)
    def _on_voices(self, models: tuple[ModelVoices, ...]) -> None:
        if self._voices.known:
            self._voices.show_models(models, STARTER)
        else:  # the initial model comes with the voices that the speech controller lists
            self._early = models

    @Slot()
    def _on_listed(self) -> None:
        early, self._early = self._early, ()
        if early:
            self._voices.show_models(early, STARTER)
        self._miss_remembered()

    @Slot(object)
    def _on_rows(self, rows: tuple[ModelRow, ...]) -> None:
        self.dialog.show_rows(rows)
        models = [(row.name, row.title) for row in rows if row.usable]
        self._window.menu.offer_models(models, self._voices.speaking_model)
        self._miss_remembered()

    def _miss_remembered(self) -> None:
        """Report a missing remembered model once, and the one in use instead, as soon as both are known."""
        if not self.controller.rows or not self._voices.known:
            return
        remembered, self._remembered = self.controller.row(self._remembered or ""), None
        speaking = self.controller.row(self._voices.speaking_model)
        message = missing_model(remembered, speaking.title) if remembered and speaking else None
        if message is not None and remembered != speaking:
            self._window.page.banner.show_message(message)

    @Slot(str)
    def _on_fetch(self, name: str) -> None:
        self._settings.models_offered = True
        self.controller.fetch(name)

    @Slot(QAction)
    def _on_model(self, action: QAction) -> None:
        self.use(action.data())

    @Slot(object)
    def _on_done(self, job: ModelJob) -> None:
        row = self.controller.row(job.model)
        if row is None:
            return
        self._window.page.banner.withdraw(MessageTopic.MODEL)
        news = describe_completion(job, row.title)
        if job.task is not ModelTask.PREPARE:  # the strip reports that
            self._window.page.status.show_message(news)
        if job.task is ModelTask.REMOVE:
            self._leave(row)
        elif job.task is ModelTask.VERIFY:
            self.dialog.show_message(f"{news}.")
        elif row.in_use and job.task is not ModelTask.PREPARE:
            self.engine_requested.emit()  # its weights or voices have changed

    def _leave(self, removed: ModelRow) -> None:
        """Keep the voice that replaces the chosen one after the removal of its model."""
        speaking = self.controller.row(self._voices.speaking_model)
        if speaking is not None and removed.name == self._settings.model and not removed.usable:
            self._voices.choose_voice(self._voices.choice)
            self.dialog.show_message(f"{removed.title} was removed. Kokoro Desk now uses {speaking.title}.")

    @Slot(object)
    def _on_failed(self, ended: JobEnded) -> None:
        error = ended.error
        if self.upgrade.takes(ended):
            return
        self.dialog.show_failure(error)
        if not self.dialog.isVisible():
            message = replace(message_for(error), topic=MessageTopic.MODEL)
            known = isinstance(error, EngineError)
            self._window.page.banner.show_message(replace(message, action=MessageAction.MODELS) if known else message)
        row = self.controller.row(ended.job.model)
        if row is not None and ended.job.task is ModelTask.REMOVE:
            self._leave(row)

    @Slot(object)
    def _on_reveal(self, folder: Path) -> None:
        if not reveal(folder):
            self.dialog.show_message(f"No file manager was found. The folder is {folder}.")

    @Slot(object)
    def _on_message_action(self, message: Message) -> None:
        if message.action is MessageAction.MODELS:
            self.open()
