import errno
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.audio_file import ensure_writable, save_wav
from engine.errors import OutputError

RATE_HZ = 24_000


def test_what_is_read_back_is_what_was_written(tmp_path: Path) -> None:
    samples = np.linspace(-0.9, 0.9, 1000, dtype=np.float32)
    save_wav(tmp_path / "a.wav", samples, RATE_HZ)
    read, rate_hz = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert rate_hz == RATE_HZ
    assert np.abs(read - samples).max() <= 1 / 32768
    assert [path.name for path in tmp_path.iterdir()] == ["a.wav"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"does not exist.*Create it"):
        ensure_writable(tmp_path / "nowhere" / "a.wav")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="is a folder"):
        ensure_writable(tmp_path)


def test_a_read_only_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.audio_file.os.access", lambda *_: False)
    with pytest.raises(OutputError, match="read-only"):
        save_wav(tmp_path / "a.wav", np.zeros(10, np.float32), RATE_HZ)


@pytest.mark.parametrize(
    ("number", "words"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "may not be written"), (errno.EIO, "could not")]
)
def test_a_failed_write_leaves_the_old_file_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"old")

    def fail(self: Path, content: bytes) -> None:
        raise OSError(number, "refused")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OutputError, match=words):
        save_wav(path, np.zeros(10, np.float32), RATE_HZ)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1
