"""The kinds of documents that can be read, by the suffix of the file, and which module reads each."""

from __future__ import annotations

from pathlib import Path

from engine.errors import UnusableDocument

LARGEST_TEXT_BYTES = 32_000_000
"""The Bible has 5 MB."""
LARGEST_FILE_BYTES = 1_000_000_000
"""Of kinds that also hold pictures."""
_TEXT, _MARKDOWN, _PAGE, _SUBTITLES = "plain_text", "markdown_text", "web_page", "subtitle_file"
_WORD, _BOOK = "word_file", "ebook"
_READERS = {
    ".txt": _TEXT, ".text": _TEXT, ".md": _MARKDOWN, ".markdown": _MARKDOWN, ".html": _PAGE, ".htm": _PAGE,
    ".xhtml": _PAGE, ".mht": _PAGE, ".mhtml": _PAGE, ".docx": _WORD, ".docm": _WORD, ".dotx": _WORD, ".dotm": _WORD,
    ".epub": _BOOK, ".pdf": "pdf_file", ".srt": _SUBTITLES, ".vtt": _SUBTITLES,
}  # fmt: skip
_OTHERS = frozenset({
    ".doc", ".odt", ".rtf", ".pages", ".mobi", ".azw", ".azw3", ".kfx", ".fb2", ".djvu", ".xls", ".xlsx", ".ods",
    ".ppt", ".pptx", ".odp", ".zip", ".gz", ".7z", ".rar", ".tar", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".tif",
    ".tiff", ".mp3", ".wav", ".flac", ".ogg", ".m4a", ".m4b", ".mp4", ".exe", ".dmg",
})  # fmt: skip
SUFFIXES = tuple(_READERS)


def reader_of(path: Path) -> str:
    """The module that reads a file; one with a suffix that says nothing is read as plain text.

    Raises `UnusableDocument` for a kind that is known to be another.
    """
    suffix = path.suffix.casefold()
    if suffix in _OTHERS:
        raise UnusableDocument(
            f"“{path.name}” is of a kind that cannot be read.", "Save it as a .docx, .epub, .pdf, .html or .txt first."
        )
    return _READERS.get(suffix, _TEXT)


def is_archive(path: Path) -> bool:
    """Whether a document holds its pictures itself, by names."""
    return reader_of(path) in (_BOOK, _WORD)


def largest_bytes(path: Path) -> int:
    """The largest file of this kind that is read."""
    is_text = reader_of(path) in (_TEXT, _MARKDOWN, _PAGE, _SUBTITLES)
    return LARGEST_TEXT_BYTES if is_text else LARGEST_FILE_BYTES
