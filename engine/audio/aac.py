"""AAC, which takes a third of the space of Apple Lossless, made by a program of this machine in a process of its own.

On a Mac that is `afconvert`, which comes with the system; elsewhere it is FFmpeg, where that is installed.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO

import soundfile

from engine.audio import mp4_boxes as boxes
from engine.audio.caf import packets_of
from engine.audio.recording import Pcm
from engine.system.waiting import POLL_SECONDS

BITS_PER_SECOND = 64_000
PACKET_SAMPLES = 1024
FFMPEG, AFCONVERT = "ffmpeg", "afconvert"
RATES_HZ = (96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350)
"""The rates that the packets' decoder knows by number."""
_LOW_COMPLEXITY, _MONO = 2, 1
_FFMPEG_PRIMING = 1024
"""FFmpeg's own encoder, which is the one that is asked for, always begins with one packet of silence."""
_ADTS_HEADER_BYTES, _CHECKSUM_BYTES = 7, 2
_PACKETS_AT_A_TIME = 64
_MOST_WORDS = 200


def aac_program() -> Path | None:
    """The program on this machine that makes AAC, if there is one."""
    found = next(filter(None, map(shutil.which, (AFCONVERT, FFMPEG))), None)
    return Path(found) if found else None


def aac_coder(program: Path, sample_rate_hz: int) -> FfmpegCoder | AfconvertCoder:
    """What makes packets with this program."""
    kind = AfconvertCoder if program.stem == AFCONVERT else FfmpegCoder
    return kind(program, sample_rate_hz)


class FfmpegCoder:
    """FFmpeg, which codes while samples arrive; see `engine.audio.audio_book.Coder`.

    It reads them from a pipe, so it ends by itself if this process is killed, and writes into a file without a name.
    """

    packet_samples = PACKET_SAMPLES
    priming = _FFMPEG_PRIMING
    padded = True

    def __init__(self, program: Path, sample_rate_hz: int) -> None:
        self._sample_rate_hz = sample_rate_hz
        self._coded = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        command = [
            str(program), "-nostdin", "-hide_banner", "-loglevel", "error",
            "-f", "s16le", "-ar", str(sample_rate_hz), "-ac", str(_MONO), "-i", "pipe:0",
            "-c:a", "aac", "-b:a", str(BITS_PER_SECOND), "-flags", "+bitexact", "-f", "adts", "pipe:1",
        ]  # fmt: skip
        self._program = _Program(command, subprocess.PIPE, self._coded)

    def entry(self) -> bytes:
        """How the packets are coded."""
        return _entry(self._sample_rate_hz)

    def packets(self, pcm: Pcm) -> Sequence[bytes]:
        """Take samples [n]; all packets come at the end."""
        self._program.send(pcm.astype("<i2").tobytes())
        return ()

    def rest(self) -> Iterator[Sequence[bytes]]:
        """All packets, some at a time."""
        yield from self._program.end()
        self._coded.seek(0)
        packets = _packets_of_adts(self._coded)
        while some := list(islice(packets, _PACKETS_AT_A_TIME)):
            yield some

    def close(self) -> None:
        """End the program, if it still runs."""
        self._program.close()
        self._coded.close()


class AfconvertCoder:
    """`afconvert`, which takes a whole file and makes another; see `engine.audio.audio_book.Coder`."""

    packet_samples = PACKET_SAMPLES
    priming = 0
    padded = True

    def __init__(self, program: Path, sample_rate_hz: int) -> None:
        self._sample_rate_hz = sample_rate_hz
        self._executable = program
        self._folder = tempfile.TemporaryDirectory(prefix="kokoro-desk-")
        self._plain, self._coded = (Path(self._folder.name, name) for name in ("speech.caf", "speech-aac.caf"))
        self._samples = soundfile.SoundFile(self._plain, "w", sample_rate_hz, _MONO, "PCM_16", format="CAF")
        self._program: _Program | None = None

    def entry(self) -> bytes:
        """How the packets are coded."""
        return _entry(self._sample_rate_hz)

    def packets(self, pcm: Pcm) -> Sequence[bytes]:
        """Take samples [n]; all packets come at the end."""
        try:
            self._samples.write(pcm)
        except (soundfile.SoundFileError, AssertionError) as error:  # the temporary folder is full
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        return ()

    def rest(self) -> Iterator[Sequence[bytes]]:
        """All packets, some at a time."""
        length = self._samples.frames
        self._samples.close()
        command = [str(self._executable), str(self._plain), str(self._coded)]
        command += ["-f", "caff", "-d", "aac", "-b", str(BITS_PER_SECOND)]
        self._program = _Program(command, subprocess.DEVNULL, subprocess.DEVNULL)
        yield from self._program.end()
        try:
            with self._coded.open("rb") as coded:
                valid, self.priming, packets = packets_of(coded)
                while some := list(islice(packets, _PACKETS_AT_A_TIME)):
                    yield some
        except (EOFError, KeyError, struct.error) as error:
            raise OSError(errno.EIO, f"{AFCONVERT} made a file that breaks off") from error
        if valid != length:
            raise OSError(errno.EIO, f"{AFCONVERT} coded {valid} of {length} samples")

    def close(self) -> None:
        """End the program, if it still runs, and remove its files."""
        if self._program is not None:
            self._program.close()
        self._samples.close()
        self._folder.cleanup()


class _Program:
    """A program that codes; what goes wrong with it raises `OSError` with its last words."""

    def __init__(self, command: Sequence[str], source: int, target: IO[bytes] | int) -> None:
        self._name = Path(command[0]).name
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._process = subprocess.Popen(
            command,
            stdin=source,
            stdout=target,
            stderr=self._errors,
            start_new_session=True,  # Ctrl+C is for the one who waits for it, who then ends it
        )

    def send(self, content: bytes) -> None:
        """Write to its standard input."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(content)
        except BrokenPipeError as error:
            raise self._failure(self._process.wait()) from error

    def end(self) -> Iterator[Sequence[bytes]]:
        """Let it end, with a step of no packets each time that it is waited for."""
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except BrokenPipeError as error:
                raise self._failure(self._process.wait()) from error
        while True:
            try:
                code = self._process.wait(POLL_SECONDS)
            except subprocess.TimeoutExpired:
                yield ()
                continue
            break
        if code:
            raise self._failure(code)

    def close(self) -> None:
        """End it, if it still runs."""
        self._process.kill()  # does nothing to a process that has ended
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()
        self._errors.close()

    def _failure(self, code: int) -> OSError:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        words = next((line.strip() for line in reversed(lines) if line.strip()), f"code {code}")[:_MOST_WORDS]
        full = os.strerror(errno.ENOSPC)
        return OSError(errno.ENOSPC, full) if full in words else OSError(errno.EIO, f"{self._name}: {words}")


def _packets_of_adts(stream: IO[bytes]) -> Iterator[bytes]:
    """The packets of a stream in which each has a header that tells its size; raises `OSError` if it breaks off."""
    while header := stream.read(_ADTS_HEADER_BYTES):
        if len(header) < _ADTS_HEADER_BYTES or int.from_bytes(header[:2], "big") >> 4 != 0xFFF:
            raise OSError(errno.EIO, f"{FFMPEG} made what is no AAC")
        if not header[1] & 1:
            stream.read(_CHECKSUM_BYTES)
        overhead = _ADTS_HEADER_BYTES + (0 if header[1] & 1 else _CHECKSUM_BYTES)
        size = (int.from_bytes(header[3:6], "big") >> 5 & 0x1FFF) - overhead
        packet = stream.read(max(size, 0))
        if not packet or len(packet) < size:
            raise OSError(errno.EIO, f"{FFMPEG} made a stream that breaks off")
        yield packet


def _entry(sample_rate_hz: int) -> bytes:
    """How packets of AAC are coded, for their decoder: MPEG-4 part 3, in the descriptors of part 1."""
    coding = struct.pack(">H", _LOW_COMPLEXITY << 11 | RATES_HZ.index(sample_rate_hz) << 7 | _MONO << 3)
    audio, sound_stream = 0x40, 0x15
    decoder = struct.pack(">BBxxxII", audio, sound_stream, 0, BITS_PER_SECOND) + _descriptor(5, coding)
    described = struct.pack(">Hx", 0) + _descriptor(4, decoder) + _descriptor(6, b"\x02")
    return boxes.sound_entry(b"mp4a", sample_rate_hz, boxes.full_box(b"esds", _descriptor(3, described)))


def _descriptor(kind: int, content: bytes) -> bytes:
    return bytes([kind, len(content)]) + content
