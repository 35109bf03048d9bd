from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl

from app.widgets.local_files import local_files


def test_addresses_of_the_web_are_no_files() -> None:
    content = QMimeData()
    content.setUrls([QUrl(url) for url in ("https://example.org/a", "file:///b.epub", "file:///c.epub")])
    assert local_files(content) == [Path("/b.epub"), Path("/c.epub")]
    assert local_files(QMimeData()) == []
