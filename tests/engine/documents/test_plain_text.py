from pathlib import Path

import pytest

from engine.documents.blocks import Block
from engine.documents.plain_text import blocks_of, read


def test_wrapped_lines_are_joined_and_verse_is_not() -> None:
    wrapped = "This is a line of a text that somebody has wrapped at a num-\nber of characters that was usual."
    verse = "Shall I compare thee\nto a summer's day?"
    joined = "This is a line of a text that somebody has wrapped at a number of characters that was usual."
    assert blocks_of(f"{wrapped}\n\n{verse}\n \n\nEnd.") == [Block(joined), Block(verse), Block("End.")]


@pytest.mark.parametrize(
    "heading", ["Chapter 1", "CHAPTER IV.", "Chapter Twenty-one: The Sea", "Prologue", "Capítulo 3"]
)
def test_lines_that_look_like_headings_are(heading: str) -> None:
    assert blocks_of(f"Before.\n\n{heading}\n\nAfter.")[1] == Block(heading, 1)


@pytest.mark.parametrize(
    "text", ["Chapter one was long, and nobody read it.", "Part of it", "Introductions were made."]
)
def test_sentences_are_no_headings(text: str) -> None:
    assert blocks_of(text) == [Block(text)]


def test_a_title_may_stand_below_its_number() -> None:
    assert blocks_of("CHAPTER I\nThe Sea\n\nIt was calm.")[0] == Block("CHAPTER I\nThe Sea", 1)


def test_a_file_is_named_after_itself(tmp_path: Path) -> None:
    path = tmp_path / "Letter.txt"
    path.write_text("Chapter 1\n\nDear.\n\nChapter 2\n\nYours.")
    document = read(path)
    assert document.title == "Letter"
    assert [chapter.title for chapter in document.chapters] == ["Chapter 1", "Chapter 2"]
