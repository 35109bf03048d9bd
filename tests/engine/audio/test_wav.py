import errno
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.audio.wav import save_wav
from engine.errors import OutputError

RATE_HZ = 24_000


def test_what_is_read_back_is_what_was_written(tmp_path: Path) -> None:
    samples = np.linspace(-0.9, 0.9, 1000, dtype=np.float32)
    save_wav(tmp_path / "a.wav", samples, RATE_HZ)
    read, rate_hz = soundfile.read(tmp_path / "a.wav", dtype="float32")
    assert rate_hz == RATE_HZ
    assert np.abs(read - samples).max() <= 1 / 32768
    assert [path.name for path in tmp_path.iterdir()] == ["a.wav"]


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "refused")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OutputError, match="disk is full"):
        save_wav(path, np.zeros(10, np.float32), RATE_HZ)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
