"""File dialogs, and a question about files, that do not block the window."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from engine.text.documents import PROJECT_SUFFIX, SUFFIXES

NAME_WORDS = 6
NAME_CHARACTERS = 48
DEFAULT_NAME = "Speech"
_KINDS = {
    ".wav": "WAV audio",
    ".flac": "FLAC audio",
    ".mp3": "MP3 audio",
    ".ogg": "Ogg Vorbis audio",
    ".opus": "Ogg Opus audio",
    ".m4b": "Audiobook",
    ".m4a": "M4A audio",
}


def ask_where_to_save(
    parent: QWidget, suggestion: Path, chosen: Callable[[Path], None], kinds: Mapping[str, str] | None = None
) -> QFileDialog:
    """Ask where to save audio, and in which format; an existing file is replaced only if the user agrees.

    `kinds` are the names of the formats by suffix, by default those of audio files.
    """
    suffixes = {f"{title} (*{suffix})": suffix for suffix, title in (kinds or kinds_of_sound()).items()}
    dialog = _ask_where(parent, "Save Audio", ";;".join(suffixes), suggestion, chosen)
    dialog.filterSelected.connect(lambda kind: _rename(dialog, suffixes[kind]))
    return dialog


def kinds_of_sound() -> dict[str, str]:
    """Return the names of the writable audio file formats, by suffix."""
    from engine.audio.sound_file import writable_suffixes  # not before the window is shown

    return {suffix: _KINDS[suffix] for suffix in writable_suffixes()}


def ask_to_replace(parent: QWidget, files: Sequence[Path], replace: Callable[[], None]) -> QMessageBox:
    """Ask whether existing files, at least one, may be replaced; Cancel leaves everything unchanged."""
    one = len(files) == 1
    words = f"“{files[0].name}” already exists." if one else f"{len(files)} of these files already exist."
    box = QMessageBox(QMessageBox.Icon.Warning, "Replace", f"{words} Replace {'it' if one else 'them'}?", parent=parent)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText(f"The current contents of {'it' if one else 'them'} will be lost. Folder: {files[0].parent}")
    button = box.addButton("Replace", QMessageBox.ButtonRole.DestructiveRole)
    button.clicked.connect(replace)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
    return box


def ask_which_picture(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a picture in JPEG or PNG."""
    from engine.export.export_job import PICTURE_SUFFIXES  # not before the window is shown

    kinds = f"Pictures ({' '.join(f'*{suffix}' for suffix in PICTURE_SUFFIXES)})"
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
    return _ask_which(parent, "Choose a Cover", kinds, folder, chosen)


def ask_which_document(
    parent: QWidget, folder: Path, chosen: Callable[[Path], None], title: str = "Open", *, projects: bool = False
) -> QFileDialog:
    """Ask for a document or, with `projects`, a project."""
    patterns = " ".join(f"*{suffix}" for suffix in ((*SUFFIXES, PROJECT_SUFFIX) if projects else SUFFIXES))
    return _ask_which(parent, title, f"Documents ({patterns});;All files (*)", str(folder), chosen)


def ask_where_to_save_project(parent: QWidget, suggestion: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save a project; an existing file is replaced only if the user agrees."""
    return _ask_where(parent, "Save as Project", f"Projects (*{PROJECT_SUFFIX})", suggestion, chosen)


def ask_where_to_export(parent: QWidget, suggestion: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save an archive with everything about a diagnosis."""
    return _ask_where(parent, "Export Diagnosis", "Archive (*.zip)", suggestion, chosen)


def ask_which_diagnosis(parent: QWidget, folder: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for an archive of an exported diagnosis."""
    return _ask_which(parent, "Open a Run", "Archives (*.zip);;All files (*)", str(folder), chosen)


def ask_where_to_save_case(parent: QWidget, suggestion: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save a failing case."""
    return _ask_where(parent, "Save Failing Case", "Failing case (*.safetensors)", suggestion, chosen)


def ask_which_model_file(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a checkpoint or a voice pack."""
    from engine.models.sources import IMPORTABLE_SUFFIXES  # not before the window is shown

    patterns = " ".join(f"*{suffix}" for suffix in IMPORTABLE_SUFFIXES)
    kinds = f"Checkpoints and voices ({patterns});;All files (*)"
    return _ask_which(parent, "Import a Model or Voice", kinds, _downloads(), chosen)


def ask_which_model_folder(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a folder with a checkpoint, voice packs or both."""
    return ask_which_folder(parent, "Import a Folder", _downloads(), chosen)


def ask_which_folder(parent: QWidget, title: str, folder: str, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a folder."""
    dialog = _dialog(parent, title, "", chosen)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.setDirectory(folder)
    dialog.open()
    return dialog


def ask_which_words(parent: QWidget, folder: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a list of pronunciations."""
    return _ask_which(
        parent,
        "Import Pronunciations",
        "Lists and Projects (*.csv *.tsv *.txt *.kokoro);;All files (*)",
        str(folder),
        chosen,
    )


def ask_where_to_save_words(parent: QWidget, suggestion: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save a list of pronunciations."""
    return _ask_where(parent, "Export Pronunciations", "CSV (*.csv)", suggestion, chosen)


def suggested_name(text: str) -> str:
    """Return a file name from the first words of a text."""
    words = re.sub(r"[^\w\s'’-]", "", text).split()[:NAME_WORDS]
    return f"{' '.join(words)[:NAME_CHARACTERS].strip() or DEFAULT_NAME}.wav"


def _downloads() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)


def _rename(dialog: QFileDialog, suffix: str) -> None:
    """Adapt the file name to the chosen format."""
    dialog.setDefaultSuffix(suffix)
    dialog.selectFile(Path(dialog.selectedFiles()[0]).with_suffix(suffix).name)


def _ask_which(parent: QWidget, title: str, kinds: str, folder: str, chosen: Callable[[Path], None]) -> QFileDialog:
    dialog = _dialog(parent, title, kinds, chosen)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setDirectory(folder)
    dialog.open()
    return dialog


def _ask_where(
    parent: QWidget, title: str, kinds: str, suggestion: Path, chosen: Callable[[Path], None]
) -> QFileDialog:
    dialog = _dialog(parent, title, kinds, chosen)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suggestion.suffix)
    dialog.setDirectory(str(suggestion.parent))
    dialog.selectFile(suggestion.name)
    dialog.open()
    return dialog


def _dialog(parent: QWidget, title: str, kinds: str, chosen: Callable[[Path], None]) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    dialog.setNameFilter(kinds)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    return dialog


def local_files(content: QMimeData) -> list[Path]:
    """Return the local files among dropped or copied content; web addresses are left out."""
    return [Path(url.toLocalFile()) for url in content.urls() if url.isLocalFile()]
