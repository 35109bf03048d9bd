import errno
import io
import os
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.audio.recording import Tags, to_pcm
from engine.audio.sound_file import FORMATS, format_for, recording, save_speech, save_wav, writable_suffixes
from engine.errors import OutputError

ROOT = Path(__file__).resolve().parents[3]
RATE_HZ = 24_000
SECONDS = 20
ENDINGS = ".wav, .flac, .mp3, .ogg, .opus, .m4b or .m4a"


def tone() -> np.ndarray:
    times = np.arange(RATE_HZ * SECONDS) / RATE_HZ
    return (0.5 * np.sin(2 * np.pi * 220 * times)).astype(np.float32)


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.mp3", "a.ogg", "a.opus", "A.MP3"])
def test_the_suffix_decides_the_format(name: str, tmp_path: Path) -> None:
    save_speech(tmp_path / name, tone(), RATE_HZ)
    info = soundfile.info(tmp_path / name)
    read, rate_hz = soundfile.read(tmp_path / name, dtype="float32")
    expected = FORMATS[Path(name).suffix.lower()]
    assert (info.format, info.subtype) == (expected.name, expected.encoding)
    assert (rate_hz, len(read)) == (RATE_HZ, RATE_HZ * SECONDS)
    assert np.corrcoef(read, tone())[0, 1] > 0.999
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.aac", f"Audio can’t be saved as .aac. Use a file name that ends in {ENDINGS}."),
        ("a.txt", f"Audio can’t be saved as .txt. Use a file name that ends in {ENDINGS}."),
        ("speech", f"speech has no suffix. Use a file name that ends in {ENDINGS}."),
    ],
)
def test_an_unsupported_suffix_is_refused_and_no_file_is_written(name: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError) as raised:
        save_speech(tmp_path / name, tone(), RATE_HZ)
    assert str(raised.value) == words
    assert not list(tmp_path.iterdir())


def test_formats_that_libsndfile_lacks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    check = soundfile.check_format
    monkeypatch.setattr(soundfile, "check_format", lambda name, encoding: name != "MP3" and check(name, encoding))
    assert writable_suffixes() == (".wav", ".flac", ".ogg", ".opus", ".m4b", ".m4a")
    with pytest.raises(OutputError, match=r"as \.mp3\. .* ends in \.wav, \.flac, \.ogg, \.opus, \.m4b or \.m4a\."):
        format_for(Path("a.mp3"))


def test_a_device_gets_wav() -> None:
    assert format_for(Path("/dev/null")) is FORMATS[".wav"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_device_is_reported_without_a_traceback() -> None:
    code = (
        "import gc, numpy\n"
        "from pathlib import Path\n"
        "from engine.audio.sound_file import save_speech\n"
        "from engine.errors import OutputError\n"
        "try:\n"
        "    save_speech(Path('/dev/full'), numpy.zeros(24_000, numpy.float32), 24_000)\n"
        "except OutputError as error:\n"
        "    told = str(error)\n"
        "gc.collect()\n"
        "print(told)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        done.stdout
        == "The disk is full, so /dev/full couldn’t be written. Free up some space or choose a different place.\n"
    )
    assert done.stderr == ""


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


def test_a_pipe_gets_a_whole_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        content = reader.submit(pipe.read_bytes)
        save_speech(pipe, tone(), RATE_HZ)
        assert soundfile.info(io.BytesIO(content.result())).frames == len(tone())


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4b"])
def test_a_disk_that_fills_up_during_writing_is_reported(suffix: str, tmp_path: Path) -> None:
    """A file size limit stands in for a full disk: writes fail in the same way, with a different errno."""
    program = f"""
import resource, signal, sys
import numpy as np
from pathlib import Path
from engine.audio.sound_file import save_speech
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
save_speech(Path({str(tmp_path / "a")!r} + {suffix!r}), np.random.default_rng(0).uniform(-1, 1, 2_000_000), 24_000)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert "OutputError" in ended.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".mp3", ".ogg"])
def test_a_file_tells_its_title_and_author(suffix: str, tmp_path: Path) -> None:
    with recording(tmp_path / f"a{suffix}", RATE_HZ, Tags("The Title", "The Author", "The Album", 3)) as file:
        file.write(to_pcm(tone()))
    with soundfile.SoundFile(tmp_path / f"a{suffix}") as read:
        assert (read.title, read.artist, read.album, read.tracknumber) == ("The Title", "The Author", "The Album", "3")


def test_recording_in_parts_equals_saving_in_one_call(tmp_path: Path) -> None:
    save_speech(tmp_path / "once.mp3", tone(), RATE_HZ)
    with recording(tmp_path / "bits.mp3", RATE_HZ) as file:
        for part in np.array_split(to_pcm(tone()), 77):
            file.write(part)
    assert (tmp_path / "bits.mp3").read_bytes() == (tmp_path / "once.mp3").read_bytes()


def test_an_abandoned_recording_leaves_no_files(tmp_path: Path) -> None:
    def give_up() -> None:
        with recording(tmp_path / "a.mp3", RATE_HZ) as file:
            file.write(to_pcm(tone()))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        give_up()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".mp3", ".m4b"])
def test_a_long_file_takes_no_more_memory_than_a_short_one(suffix: str, tmp_path: Path) -> None:
    second = to_pcm(tone()[:RATE_HZ])

    def peak_bytes(seconds: int) -> int:
        tracemalloc.start()
        with recording(tmp_path / f"a{suffix}", RATE_HZ) as file:
            for _ in range(seconds):
                file.write(second)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    peak_bytes(1)  # warm up, so that one-time loading does not count
    assert peak_bytes(200) - peak_bytes(10) < len(second) * second.itemsize


def test_samples_read_back_match_the_samples_written(tmp_path: Path) -> None:
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
