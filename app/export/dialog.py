"""The dialog that asks how a document is to be exported, and where to."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.export.cover_choice import CoverChoice
from app.widgets.file_dialogs import ask_where_to_save, kinds_of_sound, suggested_name
from engine.audio.sound_file import AUDIO_BOOK
from engine.documents import Document
from engine.errors import EngineError, OutputError
from engine.export.order import Order
from engine.export.outputs import check_writable, file_name
from engine.speech import SpeechRequest

WIDTH_PIXELS = 520
USUAL_FORMAT = ".mp3"
SUBTITLES = {
    "": "None",
    ".srt": "SubRip (.srt)",
    ".vtt": "WebVTT (.vtt)",
    ".ass": "ASS, word by word (.ass)",
    ".json": "All times, as JSON (.json)",
}
"""The kinds of subtitles by suffix."""


class ExportDialog(QDialog):
    """Speaks a document in the manner of a request; `ordered` carries the `Order`, after which the dialog closes.

    `left_out` chapters are in the book, but not in the document, and are only told.
    """

    ordered = Signal(object)

    def __init__(
        self,
        document: Document,
        manner: SpeechRequest,
        folder: Path,
        parent: QWidget | None = None,
        *,
        left_out: int = 0,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("export")
        self.setWindowTitle("Export")
        self._document = document
        self._manner = manner
        self._folder = folder
        several = len(document.chapters) > 1
        self.formats = QComboBox(self)
        for suffix, title in kinds_of_sound().items():
            self.formats.addItem(title, suffix)
        self.formats.setCurrentIndex(self.formats.findData(AUDIO_BOOK if several else USUAL_FORMAT))
        self.per_chapter = QCheckBox("One file for each chapter, in a folder", self)
        self.per_chapter.setEnabled(several)
        self.title = QLineEdit(document.title, self)
        self.author = QLineEdit(document.author, self)
        self.cover = CoverChoice(document.cover, self)
        self.subtitles = QComboBox(self)
        for suffix, title in SUBTITLES.items():
            self.subtitles.addItem(title, suffix)
        self.place = QLineEdit(self)
        self.choose_button = QPushButton("Choose…", self)
        self.summary = QLabel(_summary(document, left_out), self)
        self.notice = QLabel(self)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.export_button = self.buttons.addButton("Export", QDialogButtonBox.ButtonRole.AcceptRole)
        self._name()
        self._lay_out()
        self._connect()
        self._place_anew()

    @property
    def path(self) -> Path:
        """Where to save; raises `OutputError` where no file is named."""
        words = self.place.text().strip()
        try:
            path = Path(words).expanduser()
        except RuntimeError as error:
            raise OutputError(f"There is no home folder “{Path(words).parts[0]}”.", "Name another folder.") from error
        if not path.name:
            raise OutputError("The file has no name.", "Type one, or press Choose….")
        return path

    @property
    def order(self) -> Order:
        """What is chosen; raises `OutputError` where no file is named."""
        document = replace(
            self._document,
            title=self.title.text().strip(),
            author=self.author.text().strip(),
            cover=self.cover.picture,
        )
        suffix = self.subtitles.currentData()
        subtitles = with_format(self.path, suffix) if suffix else None
        return Order(document, self._manner, self.path, self.per_chapter.isChecked(), subtitles)

    @Slot()
    def accept(self) -> None:
        """Give the order, unless it cannot be carried out: then the dialog says why and stays."""
        try:
            order = self.order
            check_writable(order.path, per_chapter=order.per_chapter)
        except EngineError as error:
            self._say(str(error))
            return
        self.ordered.emit(order)
        super().accept()

    def _name(self) -> None:
        self.per_chapter.setToolTip("" if self.per_chapter.isEnabled() else "There is only one chapter")
        self.choose_button.setAccessibleName("Choose where to save")
        self.choose_button.setAutoDefault(False)
        self.summary.setObjectName("faint")
        self.notice.setWordWrap(True)
        self.notice.setMinimumWidth(1)  # a long name of a file must not make the dialog wider
        self.notice.setTextFormat(Qt.TextFormat.PlainText)
        self.notice.setAccessibleName("Notice")
        self.notice.hide()

    def _lay_out(self) -> None:
        place = QHBoxLayout()
        place.addWidget(self.place, 1)
        place.addWidget(self.choose_button)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.addRow("&Format", self.formats)
        form.addRow("", self.per_chapter)
        form.addRow("&Title", self.title)
        form.addRow("&Author", self.author)
        form.addRow("Cover", self.cover)
        form.addRow("S&ubtitles", self.subtitles)
        label = QLabel("&Save as", self)
        label.setBuddy(self.place)
        form.addRow(label, place)
        layout = QVBoxLayout(self)
        layout.addWidget(self.summary)
        layout.addLayout(form)
        layout.addWidget(self.notice)
        layout.addWidget(self.buttons)
        layout.addStrut(WIDTH_PIXELS)  # a minimum width of the dialog itself would cut off what large fonts need

    def _connect(self) -> None:
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.choose_button.clicked.connect(self._choose_place)
        self.formats.currentIndexChanged.connect(self._on_format)
        self.per_chapter.toggled.connect(self._look_at_place)
        self.subtitles.currentIndexChanged.connect(self._look_at_place)
        self.place.textChanged.connect(self._look_at_place)
        self.cover.refused.connect(self._say)

    def _place_anew(self) -> None:
        """Suggest a place."""
        self.place.setText(str(self._folder / self._usual_name))
        self._on_format()

    @property
    def _usual_name(self) -> str:
        name = file_name(self._document.title) or Path(suggested_name(self._document.chapters[0].text)).stem
        return f"{name}{self.formats.currentData()}"

    @Slot()
    def _on_format(self) -> None:
        with suppress(OutputError):  # without a name, there is none to follow the format
            self.place.setText(str(with_format(self.path, self.formats.currentData())))
        self.cover.setEnabled(self.formats.currentData() == AUDIO_BOOK)
        self.cover.setToolTip("" if self.cover.isEnabled() else "Only audio books have a cover")

    @Slot()
    def _choose_place(self) -> None:
        try:
            path = self.path
        except OutputError:
            path = self._folder / self._usual_name
        ask_where_to_save(self, path, self._take_place)

    def _take_place(self, path: Path) -> None:
        index = self.formats.findData(path.suffix.lower())
        if index >= 0:
            self.formats.setCurrentIndex(index)
        self.place.setText(str(path))

    @Slot()
    def _look_at_place(self) -> None:
        """Say so if something is there already."""
        try:
            result = self.order.result
            there = result.exists()
        except (OutputError, OSError):  # which Export tells
            there = False
        if not there:
            self._say("")
        elif self.per_chapter.isChecked():
            self._say(f"The folder “{result.name}” is there already; files of the same names in it will be replaced.")
        else:
            self._say(f"“{result.name}” is there already and will be replaced.")

    @Slot(str)
    def _say(self, words: str) -> None:
        self.notice.setText(words)
        self.notice.setToolTip(words)
        self.notice.setVisible(bool(words))
        self._make_room()

    def _make_room(self) -> None:
        """Become higher if the notice needs it, for which Qt would squeeze the cover."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))


def with_format(path: Path, suffix: str) -> Path:
    """The path with this suffix in place of that of another format; “Volume 1.5” has none, and keeps its 5."""
    known = path.suffix.lower() in kinds_of_sound()
    return path.with_suffix(suffix) if known else path.with_name(f"{path.name}{suffix}")


def _summary(document: Document, left_out: int) -> str:
    chapters = len(document.chapters)
    several = chapters + left_out != 1
    of_all = f"{chapters} of {chapters + left_out}" if left_out else f"{chapters}"
    return f"{of_all} chapter{'s' if several else ''}, {document.characters:,} characters"
