"""File dialogs that do not block the window."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from engine.documents import SUFFIXES

NAME_WORDS = 6
NAME_CHARACTERS = 48
USUAL_NAME = "Speech"
_KINDS = {
    ".wav": "WAV audio",
    ".flac": "FLAC audio",
    ".mp3": "MP3 audio",
    ".ogg": "Ogg Vorbis audio",
    ".opus": "Ogg Opus audio",
    ".m4b": "Audio book",
}


def ask_where_to_save(parent: QWidget, suggestion: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save a sound file, and as which; an existing file is replaced only if the user agrees."""
    suffixes = {f"{title} (*{suffix})": suffix for suffix, title in kinds_of_sound().items()}
    dialog = _dialog(parent, "Save Audio", ";;".join(suffixes), chosen)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suggestion.suffix)
    dialog.setDirectory(str(suggestion.parent))
    dialog.selectFile(suggestion.name)
    dialog.filterSelected.connect(lambda kind: _rename(dialog, suffixes[kind]))
    dialog.open()
    return dialog


def kinds_of_sound() -> dict[str, str]:
    """The names of the sound files that can be written here, by suffix."""
    from engine.audio.sound_file import writable_suffixes  # not before the window is shown

    return {suffix: _KINDS[suffix] for suffix in writable_suffixes()}


def ask_which_picture(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a picture in JPEG or PNG."""
    from engine.export.cover import PICTURE_SUFFIXES  # not before the window is shown

    kinds = f"Pictures ({' '.join(f'*{suffix}' for suffix in PICTURE_SUFFIXES)})"
    dialog = _dialog(parent, "Choose a Cover", kinds, chosen)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setDirectory(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation))
    dialog.open()
    return dialog


def ask_which_document(
    parent: QWidget, folder: Path, chosen: Callable[[Path], None], title: str = "Open"
) -> QFileDialog:
    """Ask for a document."""
    patterns = " ".join(f"*{suffix}" for suffix in SUFFIXES)
    dialog = _dialog(parent, title, f"Documents ({patterns});;All files (*)", chosen)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setDirectory(str(folder))
    dialog.open()
    return dialog


def ask_where_to_export(parent: QWidget, suggestion: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save an archive with everything about a diagnosis."""
    dialog = _dialog(parent, "Export Diagnosis", "Archive (*.zip)", chosen)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("zip")
    dialog.setDirectory(str(suggestion.parent))
    dialog.selectFile(suggestion.name)
    dialog.open()
    return dialog


def ask_which_diagnosis(parent: QWidget, folder: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for an archive that a diagnosis was exported to."""
    dialog = _dialog(parent, "Open a Run", "Archives (*.zip);;All files (*)", chosen)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setDirectory(str(folder))
    dialog.open()
    return dialog


def ask_where_to_save_case(parent: QWidget, suggestion: Path, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save a failing case."""
    dialog = _dialog(parent, "Save Failing Case", "Failing case (*.safetensors)", chosen)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("safetensors")
    dialog.setDirectory(str(suggestion.parent))
    dialog.selectFile(suggestion.name)
    dialog.open()
    return dialog


def ask_which_model_file(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a checkpoint or a voice pack."""
    from engine.model_store import IMPORTABLE_SUFFIXES  # not before the window is shown

    patterns = " ".join(f"*{suffix}" for suffix in IMPORTABLE_SUFFIXES)
    kinds = f"Checkpoints and voices ({patterns});;All files (*)"
    dialog = _dialog(parent, "Import a Model or Voice", kinds, chosen)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setDirectory(_downloads())
    dialog.open()
    return dialog


def ask_which_model_folder(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a folder with a checkpoint, voice packs or both."""
    dialog = _dialog(parent, "Import a Folder", "", chosen)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.setDirectory(_downloads())
    dialog.open()
    return dialog


def suggested_name(text: str) -> str:
    """A file name from the first words of a text."""
    words = re.sub(r"[^\w\s'’-]", "", text).split()[:NAME_WORDS]
    return f"{' '.join(words)[:NAME_CHARACTERS].strip() or USUAL_NAME}.wav"


def _downloads() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DownloadLocation)


def _rename(dialog: QFileDialog, suffix: str) -> None:
    """Let the name follow the kind of file that is chosen."""
    dialog.setDefaultSuffix(suffix)
    dialog.selectFile(Path(dialog.selectedFiles()[0]).with_suffix(suffix).name)


def _dialog(parent: QWidget, title: str, kinds: str, chosen: Callable[[Path], None]) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    dialog.setNameFilter(kinds)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    return dialog
