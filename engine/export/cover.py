"""Pictures for the covers of audio books."""

from __future__ import annotations

from pathlib import Path

from engine.errors import InvalidRequest

PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png")
LARGEST_BYTES = 20_000_000
_BEGINNINGS = (b"\x89PNG", b"\xff\xd8")


def is_cover(picture: bytes) -> bool:
    """Whether players show this as a cover: JPEG or PNG."""
    return picture.startswith(_BEGINNINGS)


def read_cover(path: Path) -> bytes:
    """A picture in JPEG or PNG; raises `InvalidRequest` for anything else, or more than `LARGEST_BYTES`."""
    try:
        if path.exists() and not path.is_file():  # opening a pipe waits until somebody writes into it
            raise InvalidRequest(f"{path} is not a file.", "Choose a picture.")
        with path.open("rb") as file:
            picture = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read ({error.strerror}).", "Choose a picture.") from error
    if not is_cover(picture):
        raise InvalidRequest(f"{path} is neither JPEG nor PNG.", "Convert it first, or choose another picture.")
    if len(picture) > LARGEST_BYTES:
        raise InvalidRequest(f"{path} has more than {LARGEST_BYTES // 1_000_000} MB.", "Choose a smaller picture.")
    return picture
