from pathlib import Path

import pytest

from engine.errors import OutputError
from engine.export.outputs import check_writable, file_name, outputs_of
from engine.text.documents import Chapter, Document
from tests.engine.export.books import book, order_of


def test_files_of_chapters_sort_in_the_order_of_reading() -> None:
    paths = [output.path for output in outputs_of(order_of(book(12, 10), Path("/x/b.mp3"), per_chapter=True))]
    assert paths[0] == Path("/x/b/01 Chapter 1.mp3")
    assert paths == sorted(paths)


def test_a_title_becomes_a_name_that_every_system_takes() -> None:
    assert file_name('What? A/B: "C"...') == "What A B C"
    assert len(file_name("x" * 300)) == 80


def test_a_chapter_without_a_title_has_its_number() -> None:
    document = Document("", "", "en", (Chapter("", "Text."),))
    assert [output.path.name for output in outputs_of(order_of(document, Path("b.mp3"), per_chapter=True))] == ["1.mp3"]


@pytest.mark.parametrize(("cover", "shown"), [(b"\x89PNG...", True), (b"\xff\xd8...", True), (b"<svg/>", False)])
def test_a_cover_that_players_do_not_show_is_left_out(cover: bytes, shown: bool) -> None:
    document = Document("", "", "en", (Chapter("", "Text."),), cover)
    (output,) = outputs_of(order_of(document, Path("b.m4b")))
    assert output.tags.cover == (cover if shown else None)


def test_the_chapter_folder_is_created(tmp_path: Path) -> None:
    check_writable(tmp_path / "b.mp3", per_chapter=True)
    assert (tmp_path / "b").is_dir()
    (tmp_path / "c").touch()
    with pytest.raises(OutputError, match="Couldn’t create"):
        check_writable(tmp_path / "c.mp3", per_chapter=True)


def test_a_title_of_large_characters_fits_into_the_name_of_a_file(tmp_path: Path) -> None:
    name = file_name("\U0001f600" * 100)
    (tmp_path / f"0001 {name}.opus").touch()
