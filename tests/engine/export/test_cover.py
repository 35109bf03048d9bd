import os
from pathlib import Path

import pytest

from engine.errors import InvalidRequest
from engine.export import cover
from engine.export.cover import read_cover


@pytest.mark.parametrize("beginning", [b"\x89PNG", b"\xff\xd8\xff"])
def test_a_picture_is_taken_as_it_is(beginning: bytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(beginning + b"rest")
    assert read_cover(tmp_path / "a") == beginning + b"rest"


def test_what_is_no_picture_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cover, "LARGEST_BYTES", 3_000_000)
    (tmp_path / "text").write_text("GIF89a")
    (tmp_path / "large").write_bytes(b"\x89PNG" + bytes(3_000_000))
    for name, words in (("none", "cannot be read"), ("text", "neither JPEG nor PNG"), ("large", "more than 3 MB")):
        with pytest.raises(InvalidRequest, match=words):
            read_cover(tmp_path / name)


def test_a_pipe_is_no_picture_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(InvalidRequest, match="is not a file"):
            read_cover(path)
    with pytest.raises(InvalidRequest, match="File name too long"):
        read_cover(tmp_path / (300 * "a"))
