import hashlib
import threading
from pathlib import Path

import pytest

from engine.errors import Cancelled
from engine.model_store.digests import sha256_of


def test_the_digest_is_that_of_the_content_and_every_byte_is_told(tmp_path: Path) -> None:
    content = b"abc" * 1_000_000
    (tmp_path / "f").write_bytes(content)
    told: list[int] = []
    assert sha256_of(tmp_path / "f", told.append) == hashlib.sha256(content).hexdigest()
    assert sum(told) == len(content)


def test_it_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"abc")
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        sha256_of(tmp_path / "f", cancel=cancel)
