"""Words looked up in their file."""

import gc
import os
from pathlib import Path

import pytest

from engine.g2p.sorted_file import BLOCK_BYTES, SortedFile

WORDS = sorted([*(f"w{number}" for number in range(3000)), "été", "ü", "♥"])


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "lines.txt"
    entries = [f"{word} <{word}>" for word in WORDS]
    path.write_text("\n".join([";; about", ";; z not a word", *entries, ""]), encoding="utf-8")
    assert path.stat().st_size > 5 * BLOCK_BYTES
    return path


def test_every_word_is_found(lines: Path) -> None:
    file = SortedFile(lines, "\n", " ", ";;")
    assert [file.after(word) for word in WORDS] == [f"<{word}>" for word in WORDS]


@pytest.mark.parametrize("word", ["", " ", "a", "w", "w30000", "zz", ";;", "é", "\ud800", "\U0010ffff"])
def test_no_other_word_is_found(lines: Path, word: str) -> None:
    assert SortedFile(lines, "\n", " ", ";;").after(word) is None


@pytest.mark.parametrize("word", ["w0 <w0>\nw1", "w0 <w0>", "w0\n", "w0 "])
def test_what_reaches_beyond_a_word_is_none(lines: Path, word: str) -> None:
    assert SortedFile(lines, "\n", " ", ";;").after(word) is None


def test_a_file_without_entries_has_no_words(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.write_bytes(b"")
    assert SortedFile(path, "\n", " ").after("word") is None
    assert SortedFile(path, "\n", " ").text() == ""


def test_a_replaced_file_is_still_read_as_it_was(lines: Path, tmp_path: Path) -> None:
    file = SortedFile(lines, "\n", " ", ";;")
    other = tmp_path / "other.txt"
    other.write_text("\na b\n", encoding="utf-8")
    os.replace(other, lines)
    assert file.after("w2999") == "<w2999>"


def test_it_is_closed_when_nobody_holds_it(lines: Path) -> None:
    file = SortedFile(lines, "\n", " ", ";;")
    descriptor = file._file
    os.fstat(descriptor)
    del file
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
