"""Files that are dropped or pasted."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData


def local_files(content: QMimeData) -> list[Path]:
    """The files of what is dropped or copied; addresses of the web are none."""
    return [Path(url.toLocalFile()) for url in content.urls() if url.isLocalFile()]
