from pathlib import Path

import pytest

from engine.documents.document import Chapter
from engine.documents.markdown_text import read

TEXT = """---
title: "My Notes"
author: Ann
lang: en-GB
---
# Diary

Intro with *emphasis*, `code` and a [link](https://example.org).[^1]

## First

- one
- two

| A | B |
|---|---|
| 1 | 2 |

## Second

![picture](a.png) The end.

[^1]: A note
    that goes on.
"""


def test_markup_goes_and_headings_begin_chapters(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(TEXT)
    document = read(path)
    assert (document.title, document.author, document.language) == ("My Notes", "Ann", "en-GB")
    assert document.chapters == (
        Chapter("Diary", "Diary\n\nIntro with emphasis, code and a link."),
        Chapter("First", "First\n\none\n\ntwo\n\nTable: 1 row of A, B."),
        Chapter("Second", "Second\n\nThe end."),
    )


def test_a_text_without_front_matter_is_named_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "Shopping.md"
    path.write_text("Milk.")
    assert read(path).title == "Shopping"


def test_pronunciations_are_no_links(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("[Kokoro](/kˈOkəɹO/) [speaks](/about/).")
    assert read(path).chapters[0].text == "[Kokoro](/kˈOkəɹO/) speaks."


@pytest.mark.parametrize("unit", ["[", "[^", "[a](/", "[a](/é"])
def test_long_rows_of_brackets_take_linear_time(tmp_path: Path, unit: str) -> None:
    """Else this would take an hour or more."""
    path = tmp_path / "rows.md"
    path.write_text(unit * (200_000 // len(unit)), encoding="utf-8")
    assert read(path).title == "rows"
