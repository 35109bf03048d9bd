from pathlib import Path

import pytest

from app.reader.places import DOCUMENTS_KEPT, Place, Places

BOOK = Path("/books/a.epub")
PLACE = Place(3, 120, frozenset({0, 2}))


def test_a_place_comes_back_after_a_restart(tmp_path: Path) -> None:
    Places(tmp_path / "p.json").keep(BOOK, "digest", PLACE)
    assert Places(tmp_path / "p.json").of(BOOK, "digest") == PLACE


def test_a_document_that_was_moved_or_changed_keeps_its_place(tmp_path: Path) -> None:
    places = Places(tmp_path / "p.json")
    places.keep(BOOK, "digest", PLACE)
    assert places.of(Path("/elsewhere/b.epub"), "digest") == PLACE
    assert places.of(BOOK, "another") == PLACE
    assert places.of(Path("/elsewhere/b.epub"), "another") == Place()


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    places = Places(tmp_path / "p.json")
    for number in range(DOCUMENTS_KEPT + 1):
        places.keep(Path(f"/{number}"), str(number), PLACE)
    assert Places(tmp_path / "p.json").of(Path("/0"), "0") == Place()
    assert Places(tmp_path / "p.json").of(Path("/1"), "1") == PLACE


@pytest.mark.parametrize(
    "content",
    [
        b"\xff",
        b"{}",
        b"[{}]",
        b'[{"path":"","digest":"","chapter":-1,"character":0,"heard":[]}]',
    ],
)
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "p.json").write_bytes(content)
    places = Places(tmp_path / "p.json")
    assert places.of(BOOK, "digest") == Place()
    places.keep(BOOK, "digest", PLACE)
    assert (tmp_path / "p.damaged").read_bytes() == content


def test_a_place_that_cannot_be_written_is_known_until_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    places = Places(tmp_path / "file" / "p.json")
    places.keep(BOOK, "digest", PLACE)
    assert places.of(BOOK, "digest") == PLACE
