"""The models feature, connected to the window: dialog, menu, the offer at the first start, and the jobs behind them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from app.main_window import MainWindow
from app.messages import Message, Remedy, Tone, message_for
from app.models.controller import ModelController
from app.models.dialog import ModelsDialog
from app.models.jobs import JobEnded, ModelJob, Task
from app.models.row import ModelRow
from app.models.words import completion_words, size_words
from app.models.worker import LibraryFactory
from app.settings import Settings
from app.system.reveal import reveal
from app.theme import Theme
from engine.errors import EngineError
from engine.model_store import ModelState, ModelStore


class ModelsFeature(QObject):
    """`engine_wanted` is emitted when another model should speak, or the one in use has changed."""

    engine_wanted = Signal()

    def __init__(
        self, window: MainWindow, settings: Settings, theme: Theme, make_library: LibraryFactory | None = None
    ) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._offered = ""
        self._fetched = ""
        self.controller = ModelController(make_library or ModelStore, settings.model, self)
        self.dialog = ModelsDialog(window)
        self._connect_dialog()
        self._connect_window(theme)
        self.controller.rows_changed.connect(self._on_rows)
        self.controller.done.connect(self._on_done)
        self.controller.failed.connect(self._on_failed)

    @Slot()
    def open(self) -> None:
        """Show the models' window."""
        self.controller.look()
        self.dialog.open_window()

    @Slot(str)
    def use(self, name: str) -> None:
        """Make this the model that speaks from now on."""
        if name != self._settings.model:
            self._settings.model = name
            self.controller.set_in_use(name)
            self._change_engine()

    def shut_down(self, timeout_ms: int) -> bool:
        """Stop everything; return whether it ended in time."""
        return self.controller.shut_down(timeout_ms)

    def _connect_dialog(self) -> None:
        dialog, controller = self.dialog, self.controller
        dialog.fetch_wanted.connect(self._on_fetch)
        dialog.cancel_wanted.connect(controller.cancel)
        dialog.use_wanted.connect(self.use)
        dialog.verify_wanted.connect(controller.verify)
        dialog.remove_wanted.connect(controller.remove)
        dialog.import_wanted.connect(controller.import_files)
        dialog.retry_wanted.connect(controller.retry)
        dialog.reveal_wanted.connect(self._on_reveal)

    def _connect_window(self, theme: Theme) -> None:
        menu, page = self._window.menu, self._window.page
        menu.models.triggered.connect(self.open)
        menu.model_actions.triggered.connect(self._on_model)
        page.banner.remedy_chosen.connect(self._on_remedy)
        page.offer.accepted.connect(self._on_offer_accepted)
        page.offer.declined.connect(self._on_offer_answered)
        self._window.closed.connect(self.dialog.close)
        self.dialog.set_colours(theme.colours)
        theme.changed.connect(self.dialog.set_colours)

    def _change_engine(self) -> None:
        message = self._window.page.banner.message
        if message is not None and message.remedy in (Remedy.MODELS, Remedy.USE_MODEL):
            self._window.page.banner.dismiss()
        self._window.page.header.voices.show_voices(())  # those of the new model are listed in a moment
        self.engine_wanted.emit()

    @Slot(object)
    def _on_rows(self, rows: tuple[ModelRow, ...]) -> None:
        self.dialog.show_rows(rows)
        models = [(row.name, row.title) for row in rows if row.usable]
        self._window.menu.offer_models(models, self._settings.model)
        if rows:
            self._offer(rows)

    def _offer(self, rows: tuple[ModelRow, ...]) -> None:
        """Offer what can be fetched, until that is answered or a model is here or being fetched."""
        fetchable = [row for row in rows if row.fetchable]
        nothing_here = all(row.status.state is ModelState.ABSENT and row.task is None for row in fetchable)
        if fetchable and nothing_here and not self._settings.models_offered:
            entry = fetchable[0].status.entry
            self._offered = entry.name
            self._window.page.offer.offer(entry.title, len(entry.voices), size_words(entry.bytes))
        else:
            self._window.page.offer.hide()

    @Slot(str)
    def _on_fetch(self, name: str) -> None:
        self._settings.models_offered = True
        self.controller.fetch(name)

    @Slot()
    def _on_offer_accepted(self) -> None:
        self._on_offer_answered()
        self.dialog.open_window()
        self._on_fetch(self._offered)

    @Slot()
    def _on_offer_answered(self) -> None:
        self._settings.models_offered = True
        self._window.page.offer.hide()

    @Slot(QAction)
    def _on_model(self, action: QAction) -> None:
        self.use(action.data())

    @Slot(object)
    def _on_done(self, job: ModelJob) -> None:
        row = self.controller.row(job.model)
        if row is None:
            return
        news = completion_words(job, row.title)
        self._window.page.status.tell(news)
        if job.task is Task.REMOVE:
            self._leave(row)
        elif job.task is Task.VERIFY:
            self.dialog.tell(f"{news}.")
        elif row.in_use:
            self._change_engine()  # its weights or voices have changed
        elif not self.dialog.isVisible():
            self._fetched = row.name
            self._window.page.banner.show_message(Message(f"{news}.", Tone.NOTE, Remedy.USE_MODEL))

    def _leave(self, removed: ModelRow) -> None:
        """Use the bundled model instead of one that has been removed."""
        included = next((row for row in self.controller.rows if not row.fetchable), None)
        if included is not None and removed.in_use and not removed.usable:
            self.use(included.name)
            self.dialog.tell(f"{removed.title} is removed. “{included.title}” is in use now.")

    @Slot(object)
    def _on_failed(self, ended: JobEnded) -> None:
        error = ended.error
        if error is None:
            return
        self.dialog.show_failure(error)
        if not self.dialog.isVisible():
            message = message_for(error)
            known = isinstance(error, EngineError)
            self._window.page.banner.show_message(replace(message, remedy=Remedy.MODELS) if known else message)
        row = self.controller.row(ended.job.model)
        if row is not None and ended.job.task is Task.REMOVE:
            self._leave(row)

    @Slot(object)
    def _on_reveal(self, folder: Path) -> None:
        if not reveal(folder):
            self.dialog.tell(f"No file manager was found. The folder is {folder}.")

    @Slot(object)
    def _on_remedy(self, message: Message) -> None:
        match message.remedy:
            case Remedy.MODELS:
                self.open()
            case Remedy.USE_MODEL:
                self.use(self._fetched)
