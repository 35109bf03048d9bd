import struct
from pathlib import Path

import numpy as np
import pytest
from mutagen.mp4 import MP4, MP4Cover

from engine.audio.audio_book import CHAPTER_LIST_LIMIT
from engine.audio.recording import Tags
from engine.audio.sound_file import recording
from tests.engine.audio.aac_programs import none

RATE_HZ = 24_000
PNG = b"\x89PNG\r\n\x1a\n" + bytes(50)
JPEG = b"\xff\xd8\xff\xe0" + bytes(50)


@pytest.fixture(autouse=True)
def lossless(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide all AAC encoders."""
    none(tmp_path_factory.mktemp("programs"), monkeypatch)


def second_of(number: int) -> np.ndarray:
    return np.random.default_rng(number).integers(-2000, 2000, RATE_HZ).astype(np.int16)


def write_book(path: Path, titles: list[str], tags: Tags | None = None, seconds: int = 2) -> None:
    with recording(path, RATE_HZ, tags) as book:
        for number, title in enumerate(titles):
            book.begin_chapter(title)
            for second in range(seconds):
                book.write(second_of(100 * number + second))


@pytest.mark.parametrize("cover", [PNG, JPEG], ids=["png", "jpeg"])
def test_a_foreign_reader_lists_chapters_title_author_and_cover(cover: bytes, tmp_path: Path) -> None:
    titles = ["One", "Zwei – älter", "三"]
    write_book(tmp_path / "a.m4b", titles, Tags("The Title", "The Author", cover=cover))
    book = MP4(tmp_path / "a.m4b")
    assert [chapter.title for chapter in book.chapters] == titles
    assert [chapter.start for chapter in book.chapters] == [0, 2, 4]
    assert (book["\xa9nam"], book["\xa9ART"], book["stik"]) == (["The Title"], ["The Author"], [2])
    assert bytes(book["covr"][0]) == cover
    assert book["covr"][0].imageformat == (MP4Cover.FORMAT_PNG if cover is PNG else MP4Cover.FORMAT_JPEG)
    assert (book.info.codec, book.info.sample_rate, book.info.channels) == ("alac", RATE_HZ, 1)
    assert book.info.length == pytest.approx(6)


def test_it_can_grow_in_pieces_of_any_length(tmp_path: Path) -> None:
    samples = np.concatenate([second_of(number) for number in range(5)])
    for name, pieces in (("a", [samples]), ("b", np.array_split(samples, 1003))):
        with recording(tmp_path / f"{name}.m4b", RATE_HZ) as book:
            for piece in pieces:
                book.write(piece)
    assert (tmp_path / "a.m4b").read_bytes() == (tmp_path / "b.m4b").read_bytes()


def test_chapters_beyond_the_short_list_are_in_the_track_of_chapters(tmp_path: Path) -> None:
    count = CHAPTER_LIST_LIMIT + 10
    write_book(tmp_path / "a.m4b", [f"Chapter {number}" for number in range(count)], seconds=1)
    content = (tmp_path / "a.m4b").read_bytes()
    assert len(MP4(tmp_path / "a.m4b").chapters) == CHAPTER_LIST_LIMIT
    track = content[content.rindex(b"trak") :]
    sizes_at = track.index(b"stsz") + 12
    assert struct.unpack_from(">I", track, sizes_at) == (count,)
    (offset,) = struct.unpack_from(">Q", track, track.index(b"co64") + 12)
    assert content[offset + 2 :].startswith(b"Chapter 0")


def test_a_chapter_without_sound_is_left_out(tmp_path: Path) -> None:
    with recording(tmp_path / "a.m4b", RATE_HZ) as book:
        book.begin_chapter("Empty")
        book.begin_chapter("Full")
        book.write(second_of(1))
    assert [chapter.title for chapter in MP4(tmp_path / "a.m4b").chapters] == ["Full"]


def test_a_long_title_is_cut_between_characters(tmp_path: Path) -> None:
    write_book(tmp_path / "a.m4b", ["é" * 200])
    assert [chapter.title for chapter in MP4(tmp_path / "a.m4b").chapters] == ["é" * 127]
