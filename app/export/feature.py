"""The export feature, connected to the window: what File > Export… does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QDialog

from app.main_window import MainWindow
from app.messages import Subject
from app.settings import Settings
from app.speech.activity import Activity
from app.speech.controller import SpeechController
from app.widgets.file_dialogs import suggested_name
from engine.documents import Chapter, Document
from engine.errors import EngineError, NothingToSpeak
from engine.export.order import Order


class ExportFeature(QObject):
    """`document` gives what is read of what is open, in chapters, or raises an `EngineError`.

    `left_out` is the number of chapters that are not read. Without a document, the text in the window is the document.
    """

    def __init__(
        self,
        window: MainWindow,
        speech: SpeechController,
        settings: Settings,
        document: Callable[[], Document | None] = lambda: None,
        left_out: Callable[[], int] = lambda: 0,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._speech = speech
        self._settings = settings
        self._document = document
        self._left_out = left_out
        self._action = window.menu.export
        self._action.setEnabled(window.page.header.voices.known)
        self._action.triggered.connect(self.open)
        speech.voices_listed.connect(self._on_voices)
        window.menu.stop_saving.triggered.connect(speech.cancel_save)
        speech.activity_changed.connect(self._on_activity)

    @Slot()
    def open(self) -> QDialog | None:
        """Ask how to export, over a window that goes on working."""
        from app.export.dialog import ExportDialog  # loads what writes sound files

        try:
            document = self._document() or self._document_of_text()
        except EngineError as error:
            self._window.show_failure(error)
            return None
        if not document.characters:
            self._window.show_failure(NothingToSpeak("There is nothing to export yet.", "Type or paste some text."))
            return None
        manner, folder = self._window.request, self._settings.save_folder
        dialog = ExportDialog(document, manner, folder, self._window, left_out=self._left_out())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.ordered.connect(self._on_ordered)
        dialog.open()
        return dialog

    def _document_of_text(self) -> Document:
        text = self._window.page.editor.text
        title = Path(suggested_name(text)).stem
        return Document(title, "", "", (Chapter("", text if text.strip() else ""),))

    @Slot(object)
    def _on_ordered(self, order: Order) -> None:
        self._settings.save_folder = order.path.parent
        self._window.page.banner.withdraw(Subject.FILE)
        self._speech.export(order)

    @Slot(object)
    def _on_activity(self, activity: Activity) -> None:
        self._window.menu.stop_saving.setEnabled(activity.saving)

    @Slot(object)
    def _on_voices(self, _listed: object) -> None:
        self._action.setEnabled(True)
