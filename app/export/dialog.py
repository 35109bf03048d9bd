"""The dialog that asks what to export as audio, in which format and where."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
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
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.export.cover_choice import CoverChoice
from app.export.scope import Scope
from app.widgets.controls import ComboBox
from app.widgets.elided_text import ElidedLabel
from app.widgets.file_dialogs import (
    ask_to_replace,
    ask_where_to_save,
    kinds_of_sound,
    suggested_name,
)
from engine.audio.sound_file import AUDIO, AUDIO_BOOK, coding_of
from engine.errors import EngineError, OutputError
from engine.export.export_job import NARRATED, ExportJob
from engine.export.narrated_book import narration_suffix
from engine.export.outputs import check_writable, existing_outputs, file_name
from engine.system.durations import format_approximate_duration
from engine.text.documents import Document

WIDTH_PIXELS = 520
DEFAULT_FORMAT = ".mp3"
MEGABYTES_PER_GIGABYTE = 1000
NARRATED_TITLE = "Narrated book"
SUBTITLES = {
    "": "None",
    ".srt": "SubRip (.srt)",
    ".vtt": "WebVTT (.vtt)",
    ".ass": "ASS, word by word (.ass)",
    ".json": "All times, as JSON (.json)",
}
"""The subtitle formats by suffix."""


@dataclass(frozen=True)
class _Defaults:
    """The defaults for a scope; an empty `suffix` means that none have been suggested yet."""

    suffix: str = ""
    title: str = ""
    author: str = ""
    cover: bytes | None = None
    name: str = ""


class ExportDialog(QDialog):
    """The Export dialog, which offers at least one `Scope` and selects the first.

    `ordered` carries the `ExportJob`, after which the dialog closes. Fields that the user has not edited follow the
    scope, except the format if a suffix is `preferred`.
    """

    ordered = Signal(object)

    def __init__(
        self, scopes: Sequence[Scope], folder: Path, parent: QWidget | None = None, *, preferred: str = ""
    ) -> None:
        super().__init__(parent)
        self.setObjectName("export")
        self.setWindowTitle("Export Audio")
        self._folder = folder
        self._preferred = preferred if preferred in kinds_of_sound() else ""
        self._agreed: Path | None = None
        self._defaults = _Defaults()
        self.scopes = ComboBox("What to export", "", 24, self)
        self.scopes.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.scopes.offer([(scope, scope.title, "") for scope in scopes])
        self.summary = _line(self)
        self.formats = QComboBox(self)
        for suffix, title in (*kinds_of_sound().items(), (NARRATED, NARRATED_TITLE)):
            self.formats.addItem(f"{title} ({suffix})", suffix)
        self.size_note = _line(self)
        self.per_chapter = QCheckBox("Export each chapter as a separate file", self)
        self.title = QLineEdit(self)
        self.author = QLineEdit(self)
        self.cover = CoverChoice(None, self)
        self.subtitles = QComboBox(self)
        for suffix, title in SUBTITLES.items():
            self.subtitles.addItem(title, suffix)
        self.place = QLineEdit(self)
        self.choose_button = QPushButton("Choose…", self)
        self.notice = QLabel(self)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.export_button = self.buttons.addButton("Export", QDialogButtonBox.ButtonRole.AcceptRole)
        self._name()
        self._lay_out()
        self._follow_scope()
        self._connect()
        self.place.setFocus()

    @property
    def scope(self) -> Scope:
        """The selected scope."""
        scope = self.scopes.value
        assert isinstance(scope, Scope)
        return scope

    @property
    def path(self) -> Path:
        """The output path; raises `OutputError` if it has no file name."""
        words = self.place.text().strip()
        try:
            path = Path(words).expanduser()
        except RuntimeError as error:
            raise OutputError(
                f"The folder “{Path(words).parts[0]}” can’t be found.", "Choose a different folder."
            ) from error
        if not path.name:
            raise OutputError("The file has no name.", "Enter a name, or click Choose.")
        return path

    @property
    def order(self) -> ExportJob:
        """The export job as configured; raises `OutputError` if the path has no file name."""
        scope = self.scope
        if self._narrates:
            return ExportJob(scope.document, scope.speech_settings, self.path, edits=scope.edits, book=scope.book)
        document = replace(
            scope.document,
            title=self.title.text().strip(),
            author=self.author.text().strip(),
            cover=self.cover.picture,
        )
        suffix = self.subtitles.currentData()
        subtitles = with_format(self.path, suffix) if suffix else None
        return ExportJob(
            document, scope.speech_settings, self.path, self.per_chapter.isChecked(), subtitles, scope.edits
        )

    @property
    def _narrates(self) -> bool:
        return bool(self.formats.currentData() == NARRATED)

    @Slot()
    def accept(self) -> None:
        """Submit the job, asking first if it would replace files; show a problem instead if there is one."""
        try:
            order = self.order
            check_writable(order.path, per_chapter=order.per_chapter, book=order.book)
        except EngineError as error:
            self._show_problem(str(error))
            return
        there = existing_outputs(order)
        if not there or there == (self._agreed,):
            self._give(order)
        else:
            ask_to_replace(self, there, partial(self._give, order))

    def _give(self, order: ExportJob) -> None:
        self.ordered.emit(order)
        super().accept()

    def _name(self) -> None:
        self.choose_button.setAccessibleName("Choose where to save")
        self.choose_button.setAutoDefault(False)
        self.export_button.setDefault(True)
        for label in (self.summary, self.size_note):
            label.setObjectName("faint")
        self.notice.setWordWrap(True)
        self.notice.setMinimumWidth(1)  # a long file name must not widen the dialog
        self.notice.setTextFormat(Qt.TextFormat.PlainText)
        self.notice.setAccessibleName("Notice")
        self.notice.hide()

    def _lay_out(self) -> None:
        place = QHBoxLayout()
        place.addWidget(self.place, 1)
        place.addWidget(self.choose_button)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        if len(self.scopes.values) > 1:
            form.addRow("&Export", self.scopes)
        else:
            self.scopes.hide()
            only = _line(self)
            only.set_text(self.scope.title)
            form.addRow("Export", only)
        form.addRow("", self.summary)
        form.addRow("&Format", self.formats)
        form.addRow("", self.size_note)
        form.addRow("", self.per_chapter)
        form.addRow("&Title", self.title)
        form.addRow("&Author", self.author)
        form.addRow("Cover", self.cover)
        form.addRow("S&ubtitles", self.subtitles)
        label = QLabel("&Save as", self)
        label.setBuddy(self.place)
        form.addRow(label, place)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.notice)
        layout.addWidget(self.buttons)
        layout.addStrut(WIDTH_PIXELS)  # a minimum width of the dialog itself would cut off large fonts

    def _connect(self) -> None:
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.choose_button.clicked.connect(self._choose_place)
        self.scopes.chosen.connect(self._follow_scope)
        self.formats.currentIndexChanged.connect(self._on_format)
        self.cover.refused.connect(self._show_problem)
        self.place.textChanged.connect(self._on_place)

    @Slot()
    def _follow_scope(self) -> None:
        """Suggest values that suit the scope, replacing earlier suggestions."""
        scope, before = self.scope, self._defaults
        document = scope.document
        several = len(document.chapters) > 1
        self._defaults = defaults = _Defaults(
            self._preferred or (AUDIO_BOOK if several else DEFAULT_FORMAT),
            document.title,
            document.author,
            document.cover,
            _name_of(document),
        )
        self._offer_narration()
        if self.formats.currentData() == before.suffix or not before.suffix or (self._narrates and scope.book is None):
            self.formats.setCurrentIndex(self.formats.findData(defaults.suffix))
        for edit, old, new in (
            (self.title, before.title, defaults.title),
            (self.author, before.author, defaults.author),
            (self.place, self._path_of(before), self._path_of(defaults)),
        ):
            if edit.text() == old or not before.suffix:
                edit.setText(new)
        if self.cover.picture == before.cover:
            self.cover.show_picture(defaults.cover)
        self._on_format()

    def _offer_narration(self) -> None:
        """Let the user choose a narrated book if the document is an EPUB."""
        formats = self.formats.model()
        assert isinstance(formats, QStandardItemModel)
        item = formats.item(self.formats.findData(NARRATED))
        item.setEnabled(self.scope.book is not None)
        item.setToolTip("" if item.isEnabled() else "Only an EPUB can be narrated")

    def _path_of(self, defaults: _Defaults) -> str:
        return str(self._folder / f"{defaults.name}{self.formats.currentData()}")

    @Slot()
    def _on_format(self) -> None:
        suffix = self.formats.currentData()
        with suppress(OutputError):  # without a file name, there is no suffix to update
            path = with_format(self.path, suffix)
            self.place.setText(str(path.with_stem(f"{path.stem} (narrated)") if path == self.scope.book else path))
        own, whole = "The book keeps its own", "A narrated book is one file, with the times of its words in it"
        no_cover = "" if suffix in (AUDIO_BOOK, AUDIO) else "This format doesn’t support covers"
        one_chapter = "" if len(self.scope.document.chapters) > 1 else "This document has only one chapter"
        for field, reason, narrated_reason in (
            (self.per_chapter, one_chapter, whole),
            (self.title, "", own),
            (self.author, "", own),
            (self.cover, no_cover, own),
            (self.subtitles, "", whole),
        ):
            why_not = narrated_reason if self._narrates else reason
            field.setEnabled(not why_not)
            field.setToolTip(why_not)
        self.per_chapter.setChecked(self.per_chapter.isChecked() and self.per_chapter.isEnabled())
        self._tell_size()

    def _tell_size(self) -> None:
        """Show the duration, and the coding and size of the result."""
        scope = self.scope
        coding = coding_of(narration_suffix() if self._narrates else self.formats.currentData())
        seconds = ExportJob(scope.document, scope.speech_settings, Path()).seconds
        count = len(scope.document.chapters)
        self.summary.set_text(_capitalized(f"{count} chapters, " * (count > 1) + format_approximate_duration(seconds)))
        named = f"{coding.name}, " if coding.name else ""
        hint = ". If FFmpeg is installed: AAC, a third as large" if named and not coding.program else ""
        self.size_note.set_text(_capitalized(f"{named}{_format_size(coding.megabytes(seconds))}{hint}"))

    @Slot()
    def _on_place(self) -> None:
        self._show_problem("")

    @Slot()
    def _choose_place(self) -> None:
        try:
            path = self.path
        except OutputError:
            path = Path(self._path_of(self._defaults))
        ask_where_to_save(self, path, self._take_place, {NARRATED: NARRATED_TITLE} if self._narrates else None)

    def _take_place(self, path: Path) -> None:
        index = self.formats.findData(path.suffix.lower())
        if index >= 0:
            self.formats.setCurrentIndex(index)
        self.place.setText(str(path))
        self._agreed = path  # the file dialog has asked

    @Slot(str)
    def _show_problem(self, words: str) -> None:
        self.notice.setText(words)
        self.notice.setToolTip(words)
        self.notice.setVisible(bool(words))
        self._make_room()

    def _make_room(self) -> None:
        """Increase the height if the notice needs it; otherwise Qt would squeeze the cover."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))


def with_format(path: Path, suffix: str) -> Path:
    """Return the path with this suffix, replacing that of a known format; “Volume 1.5” keeps its “.5”."""
    known = path.suffix.lower() in (*kinds_of_sound(), NARRATED)
    return path.with_suffix(suffix) if known else path.with_name(f"{path.name}{suffix}")


def _line(parent: QWidget) -> ElidedLabel:
    """Return a label that takes up the full width of a form."""
    label = ElidedLabel(parent)
    label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return label


def _name_of(document: Document) -> str:
    """Return a file name for a document, without a suffix."""
    return file_name(document.title) or Path(suggested_name(document.chapters[0].text)).stem


def _format_size(megabytes: float) -> str:
    """Return an estimated size, such as “about 120 MB”."""
    if megabytes < 1:
        return "less than 1 MB"
    return f"about {megabytes:.0f} MB" if megabytes < MEGABYTES_PER_GIGABYTE else f"about {megabytes / 1000:.1f} GB"


def _capitalized(words: str) -> str:
    return words[:1].upper() + words[1:]
