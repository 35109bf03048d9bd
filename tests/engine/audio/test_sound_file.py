import errno
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.audio.sound_file import FORMATS, format_for, save_speech, writable_suffixes
from engine.errors import OutputError

RATE_HZ = 24_000
SECONDS = 20


def tone() -> np.ndarray:
    times = np.arange(RATE_HZ * SECONDS) / RATE_HZ
    return (0.5 * np.sin(2 * np.pi * 220 * times)).astype(np.float32)


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.mp3", "a.ogg", "A.MP3"])
def test_the_suffix_decides_the_format(name: str, tmp_path: Path) -> None:
    save_speech(tmp_path / name, tone(), RATE_HZ)
    info = soundfile.info(tmp_path / name)
    read, rate_hz = soundfile.read(tmp_path / name, dtype="float32")
    assert info.format == FORMATS[Path(name).suffix.lower()]
    assert (rate_hz, len(read)) == (RATE_HZ, RATE_HZ * SECONDS)
    assert np.corrcoef(read, tone())[0, 1] > 0.999
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.m4a", "Speech cannot be written as .m4a. Give the file a name that ends in .wav, .flac, .mp3 or .ogg."),
        ("a.txt", "Speech cannot be written as .txt. Give the file a name that ends in .wav, .flac, .mp3 or .ogg."),
        ("speech", "speech has no suffix. Give the file a name that ends in .wav, .flac, .mp3 or .ogg."),
    ],
)
def test_another_suffix_is_refused_and_nothing_is_written(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError) as raised:
        save_speech(tmp_path / name, tone(), RATE_HZ)
    assert str(raised.value) == words
    assert not list(tmp_path.iterdir())


def test_what_libsndfile_cannot_write_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    formats = {"WAV": "", "FLAC": "", "OGG": ""}
    monkeypatch.setattr(soundfile, "available_formats", lambda: formats)
    assert writable_suffixes() == (".wav", ".flac", ".ogg")
    with pytest.raises(OutputError, match=r"as \.mp3\. .* ends in \.wav, \.flac or \.ogg\."):
        format_for(Path("a.mp3"))


def test_a_device_gets_wav() -> None:
    assert format_for(Path("/dev/null")) == "WAV"


def test_a_full_disk_leaves_the_old_file_and_no_rubbish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.mp3"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "refused")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OutputError, match="disk is full"):
        save_speech(path, tone(), RATE_HZ)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
