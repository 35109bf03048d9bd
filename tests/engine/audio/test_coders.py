import errno
import io
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mutagen.mp4 import MP4

from engine.audio.coders import AAC_PACKET_SAMPLES, LOSSLESS_PACKET_SAMPLES, aac_program, decoder_settings, packet_of
from engine.audio.recording import Tags
from engine.audio.sound_file import coding_of, recording
from engine.errors import OutputError
from tests.engine.audio.aac_programs import FAILING, PRIMING, none, only
from tests.patience import wait_until
from tests.processes import running_until_killed

ROOT = Path(__file__).resolve().parents[3]
RATE_HZ = 24_000
LENGTH = 5 * RATE_HZ + 321
PROGRAM = aac_program()


def speech_like(length: int = LENGTH) -> np.ndarray:
    """Return tones that fade in and out and change each second."""
    times = np.arange(length) / RATE_HZ
    tone = np.sin(2 * np.pi * (200 + 40 * np.floor(times)) * times) * np.sin(np.pi * 4 * times) ** 2
    return (8000 * tone).astype(np.int16)


def write(path: Path, pcm: np.ndarray, tags: Tags | None = None) -> None:
    """Write one chapter per second, in pieces that match no packet length."""
    with recording(path, RATE_HZ, tags) as book:
        for number, second in enumerate(np.split(pcm, range(RATE_HZ, len(pcm), RATE_HZ))):
            book.begin_chapter(f"Chapter {number}")
            for piece in np.array_split(second, 7):
                book.write(piece)


def number_after(content: bytes, mark: bytes, coding: str, offset: int) -> tuple[int, ...]:
    return struct.unpack_from(coding, content, content.index(mark) + len(mark) + offset)


def packets_in(path: Path) -> np.ndarray:
    """Return the samples that a fake encoder passed through, with its padding."""
    content = path.read_bytes()
    (count,) = number_after(content, b"stsz", ">I", 8)
    (start,) = number_after(content, b"co64", ">Q", 8)
    return np.frombuffer(content, "<i2", AAC_PACKET_SAMPLES * count, start)


@pytest.mark.parametrize("name", PRIMING)
def test_all_samples_reach_the_program_and_come_back_at_their_times(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(name, tmp_path, monkeypatch)
    write(tmp_path / "a.m4b", speech_like(), Tags("The Title", "The Author"))
    assert (packets_in(tmp_path / "a.m4b")[PRIMING[name] :][:LENGTH] == speech_like()).all()
    content = (tmp_path / "a.m4b").read_bytes()
    assert number_after(content, b"elst", ">QqI", 8) == (LENGTH, PRIMING[name], 0x10000)
    book = MP4(tmp_path / "a.m4b")
    assert (book.info.codec, book.info.sample_rate, book.info.channels) == ("mp4a.40.2", RATE_HZ, 1)
    assert [chapter.start for chapter in book.chapters] == list(range(6))
    assert (book["\xa9nam"], book["stik"]) == (["The Title"], [2])


@pytest.mark.parametrize("name", PRIMING)
def test_the_coding_reports_its_codec_program_and_estimated_size(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(name, tmp_path, monkeypatch)
    coding = coding_of(".m4b")
    assert (coding.name, coding.program) == ("AAC", name)
    assert coding.megabytes(3600) == pytest.approx(29, abs=0.5)
    none(tmp_path, monkeypatch)
    assert (coding_of(".m4b").name, coding_of(".m4b").program) == ("Apple Lossless", "")
    assert coding_of(".m4b").megabytes(3600) == pytest.approx(87, abs=0.5)


def test_m4a_is_the_same_and_listed_with_the_music(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("ffmpeg", tmp_path, monkeypatch)
    write(tmp_path / "a.m4a", speech_like())
    assert (tmp_path / "a.m4a").read_bytes()[8:12] == b"M4A "
    assert MP4(tmp_path / "a.m4a")["stik"] == [1]


def test_a_rate_that_aac_does_not_know_is_lossless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("ffmpeg", tmp_path, monkeypatch)
    with recording(tmp_path / "a.m4b", 25_000) as book:
        book.write(speech_like())
    assert MP4(tmp_path / "a.m4b").info.codec == "alac"


@pytest.mark.parametrize("name", PRIMING)
@pytest.mark.parametrize(
    ("words", "message"),
    [("Encoder not found", "Encoder not found"), (os.strerror(errno.ENOSPC), "The disk is full")],
)
def test_a_failing_encoder_is_reported_and_leaves_no_files(
    name: str, words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(name, tmp_path, monkeypatch, FAILING.format(words=words))
    with pytest.raises(OutputError, match=message):
        write(tmp_path / "a.m4b", np.tile(speech_like(), 10))
    assert [path.name for path in tmp_path.iterdir()] == ["programs"]


def test_an_incomplete_encoding_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only("ffmpeg", tmp_path, monkeypatch, f"#!{sys.executable}\nimport sys\nsys.stdin.buffer.read()\n")
    with pytest.raises(OutputError, match="left something out"):
        write(tmp_path / "a.m4b", speech_like())
    assert not list(tmp_path.glob("a*"))


@pytest.mark.parametrize("name", PRIMING)
def test_abandoning_a_recording_ends_its_encoder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "number"
    endless = (
        f"#!{sys.executable}\nimport os, time\nopen({str(told)!r}, 'w').write(str(os.getpid()))\ntime.sleep(3600)\n"
    )
    only(name, tmp_path, monkeypatch, endless)

    def give_up() -> None:
        with recording(tmp_path / "a.m4b", RATE_HZ) as book:
            book.write(speech_like(RATE_HZ))  # must fit into a pipe's buffer, as the program reads nothing
            steps = book.finish()
            while not (told.exists() and told.read_text()):
                next(steps)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        give_up()
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)
    assert not list(tmp_path.glob(".a*"))


def test_the_program_ends_when_the_one_who_asked_for_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = tmp_path / "begun", tmp_path / "ended"
    reading = (
        f"#!{sys.executable}\nimport sys\n"
        f"open({str(begun)!r}, 'w').close()\nsys.stdin.buffer.read()\nopen({str(ended)!r}, 'w').close()\n"
    )
    only("ffmpeg", tmp_path, monkeypatch, reading)
    code = (
        "import time, numpy\n"
        "from pathlib import Path\n"
        "from engine.audio.sound_file import recording\n"
        f"with recording(Path({str(tmp_path / 'a.m4b')!r}), 24_000) as file:\n"
        "    file.write(numpy.zeros(24_000, numpy.int16))\n"
        "    time.sleep(3600)\n"
    )
    with running_until_killed([sys.executable, "-c", code], cwd=ROOT):
        wait_until(begun.exists, "the program")
    wait_until(ended.exists, "its end")


@pytest.mark.skipif(PROGRAM is None, reason="needs afconvert, which a Mac has, or FFmpeg")
def test_the_local_encoder_writes_the_expected_chapters_and_size(tmp_path: Path) -> None:
    pcm = np.tile(speech_like(), 12)
    write(tmp_path / "a.m4b", pcm)
    write(tmp_path / "b.m4b", pcm)
    book = MP4(tmp_path / "a.m4b")
    assert book.info.codec == "mp4a.40.2"
    assert [chapter.start for chapter in book.chapters] == list(range(len(pcm) // RATE_HZ + 1))
    assert book.info.length == pytest.approx(len(pcm) / RATE_HZ, abs=0.2)
    assert (tmp_path / "a.m4b").stat().st_size < 1.2 * coding_of(".m4b").megabytes(len(pcm) / RATE_HZ) * 1e6
    assert (tmp_path / "a.m4b").read_bytes() == (tmp_path / "b.m4b").read_bytes()


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="needs FFmpeg to decode")
def test_ffmpeg_decodes_every_sample_at_its_time(tmp_path: Path) -> None:
    pcm = speech_like()
    write(tmp_path / "a.m4b", pcm)
    command = ["ffmpeg", "-loglevel", "error", "-i", str(tmp_path / "a.m4b"), "-map", "0:a", "-f", "s16le", "-"]
    heard = np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, "<i2")
    assert len(heard) == len(pcm)
    assert np.corrcoef(heard, pcm)[0, 1] > 0.99


def noise(count: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-3000, 3000, count).astype(np.int16)


def test_speech_like_samples_get_smaller_and_a_packet_stands_alone() -> None:
    pcm = noise(2 * LOSSLESS_PACKET_SAMPLES)
    first, second = packet_of(pcm[:LOSSLESS_PACKET_SAMPLES], RATE_HZ), packet_of(pcm[LOSSLESS_PACKET_SAMPLES:], RATE_HZ)
    assert 0 < len(first) < 2 * LOSSLESS_PACKET_SAMPLES
    assert packet_of(pcm[LOSSLESS_PACKET_SAMPLES:], RATE_HZ) == second


def test_the_settings_are_those_that_libsndfile_encodes_with() -> None:
    import soundfile

    caf = io.BytesIO()
    soundfile.write(caf, noise(LOSSLESS_PACKET_SAMPLES), RATE_HZ, format="CAF", subtype="ALAC_16")
    content = caf.getvalue()
    cookie = content[content.index(b"kuki") + 12 :][:24]
    own = decoder_settings(RATE_HZ)
    assert (own[:12], own[20:]) == (cookie[:12], cookie[20:])  # the bytes between are sizes


def test_a_full_temporary_folder_is_an_error_and_no_crash() -> None:
    program = """
import resource, signal
import numpy as np
from engine.audio.coders import packet_of
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
pcm = np.random.default_rng(0).integers(-30000, 30000, 4096).astype(np.int16)
for _ in range(3):
    try:
        packet_of(pcm, 24_000)
    except OSError as error:
        print(error.errno)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ended.stdout.split() == [str(errno.ENOSPC)] * 3
