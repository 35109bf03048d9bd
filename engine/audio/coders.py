"""Encoders of audio into MP4 packets: AAC, or Apple Lossless, which takes three times the space.

AAC is encoded by an installed program in a separate process: on a Mac by `afconvert`, which is part of the system;
elsewhere by FFmpeg, if it is installed. libsndfile writes Apple Lossless into a file in Apple's Core Audio Format
(CAF), as `afconvert` does AAC; the packets are extracted from it.
"""

from __future__ import annotations

import errno
import io
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

import numpy as np
import soundfile

from engine.audio import mp4_boxes as boxes
from engine.audio.recording import Pcm
from engine.system.waiting import POLL_SECONDS

_FILE_HEADER_BYTES = 8
_CHUNK_HEADER = struct.Struct(">4sq")
_PACKET_TABLE_HEADER = struct.Struct(">qqii")
_EDIT_COUNT_BYTES = 4
BITS_PER_SECOND = 64_000
AAC_PACKET_SAMPLES = 1024
FFMPEG, AFCONVERT = "ffmpeg", "afconvert"
RATES_HZ = (96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350)
"""The sample rates that have an index in AAC."""
_LOW_COMPLEXITY, _MONO = 2, 1
_FFMPEG_PRIMING = 1024
"""The number of priming samples: FFmpeg's own encoder, which is requested, always begins with one packet of silence."""
_ADTS_HEADER_BYTES, _CHECKSUM_BYTES = 7, 2
_PACKETS_AT_A_TIME = 64
_MAX_WORDS = 200
LOSSLESS_PACKET_SAMPLES = 4096
"""The number of samples in a packet, which can be decoded by itself; the last packet of a stream may have fewer."""


def packets_of(caf: IO[bytes]) -> tuple[int, int, Iterator[bytes]]:
    """Return the number of samples to play, the number of priming samples before them, and the packets of a CAF file.

    Raises `EOFError` if the file is truncated, and `KeyError` if it has no packets.
    """
    places = dict(_places_of_chunks(caf))
    caf.seek(places[b"pakt"][0])
    table = _read(caf, places[b"pakt"][1])
    _, valid, priming, _ = _PACKET_TABLE_HEADER.unpack_from(table)
    sizes = list(_numbers(table[_PACKET_TABLE_HEADER.size :]))
    start, size = places[b"data"]
    if 0 <= size < _EDIT_COUNT_BYTES + sum(sizes):
        raise EOFError
    caf.seek(start + _EDIT_COUNT_BYTES)
    return valid, priming, (_read(caf, size) for size in sizes)


def _places_of_chunks(caf: IO[bytes]) -> Iterator[tuple[bytes, tuple[int, int]]]:
    """Yield each chunk's name, start and size."""
    start = _FILE_HEADER_BYTES
    while True:
        caf.seek(start)
        header = caf.read(_CHUNK_HEADER.size)
        if len(header) < _CHUNK_HEADER.size:  # a stray byte may follow the last chunk
            return
        kind, size = _CHUNK_HEADER.unpack(header)
        start += _CHUNK_HEADER.size
        yield kind, (start, size)
        if size < 0:  # it extends to the end of the file
            return
        start += size


def _numbers(coded: bytes) -> Iterator[int]:
    """Yield numbers coded in seven bits per byte, high bits first; the eighth bit says that more bytes follow."""
    number = 0
    for byte in coded:
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            if number:  # the table may be longer than its content
                yield number
            number = 0


def _read(caf: IO[bytes], size: int) -> bytes:
    content = caf.read(size)
    if len(content) < size:
        raise EOFError
    return content


def aac_program() -> Path | None:
    """Return the program on this machine that encodes AAC, or None."""
    found = next(filter(None, map(shutil.which, (AFCONVERT, FFMPEG))), None)
    return Path(found) if found else None


def aac_coder(program: Path, sample_rate_hz: int) -> FfmpegCoder | AfconvertCoder:
    """Return the encoder that uses this program."""
    kind = AfconvertCoder if program.stem == AFCONVERT else FfmpegCoder
    return kind(program, sample_rate_hz)


class FfmpegCoder:
    """Encodes with FFmpeg while samples arrive; see `engine.audio.audio_book.Coder`.

    FFmpeg reads from a pipe, so it ends if this process is killed, and writes into an unnamed file.
    """

    packet_samples = AAC_PACKET_SAMPLES
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
        """Return the sample entry box."""
        return _entry(self._sample_rate_hz)

    def packets(self, pcm: Pcm) -> Sequence[bytes]:
        """Take samples [n]; all packets come at the end."""
        self._program.send(pcm.astype("<i2").tobytes())
        return ()

    def rest(self) -> Iterator[Sequence[bytes]]:
        """Yield all packets in batches."""
        yield from self._program.end()
        self._coded.seek(0)
        packets = _packets_of_adts(self._coded)
        while some := list(islice(packets, _PACKETS_AT_A_TIME)):
            yield some

    def close(self) -> None:
        """End the program if it is still running."""
        self._program.close()
        self._coded.close()


class AfconvertCoder:
    """Encodes with `afconvert`, which converts a whole file; see `engine.audio.audio_book.Coder`."""

    packet_samples = AAC_PACKET_SAMPLES
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
        """Return the sample entry box."""
        return _entry(self._sample_rate_hz)

    def packets(self, pcm: Pcm) -> Sequence[bytes]:
        """Take samples [n]; all packets come at the end."""
        try:
            self._samples.write(pcm)
        except (soundfile.SoundFileError, AssertionError) as error:  # the temporary folder is full
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        return ()

    def rest(self) -> Iterator[Sequence[bytes]]:
        """Yield all packets in batches."""
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
            raise OSError(errno.EIO, f"{AFCONVERT} produced a truncated file") from error
        if valid != length:
            raise OSError(errno.EIO, f"{AFCONVERT} coded {valid} of {length} samples")

    def close(self) -> None:
        """End the program if it is still running, and remove its files."""
        if self._program is not None:
            self._program.close()
        self._samples.close()
        self._folder.cleanup()


class _Program:
    """An encoder process; failures raise `OSError` with the last line of its error output."""

    def __init__(self, command: Sequence[str], source: int, target: IO[bytes] | int) -> None:
        self._name = Path(command[0]).name
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._process = subprocess.Popen(
            command,
            stdin=source,
            stdout=target,
            stderr=self._errors,
            start_new_session=True,  # Ctrl+C is for the process that waits, which then ends this one
        )

    def send(self, content: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(content)
        except BrokenPipeError as error:
            raise self._failure(self._process.wait()) from error

    def end(self) -> Iterator[Sequence[bytes]]:
        """Wait until the program ends, yielding an empty batch at each poll."""
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
        """End the program if it is still running."""
        self._process.kill()  # does nothing to a process that has ended
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        self._process.wait()
        self._errors.close()

    def _failure(self, code: int) -> OSError:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        words = next((line.strip() for line in reversed(lines) if line.strip()), f"code {code}")[:_MAX_WORDS]
        full = os.strerror(errno.ENOSPC)
        return OSError(errno.ENOSPC, full) if full in words else OSError(errno.EIO, f"{self._name}: {words}")


def _packets_of_adts(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the packets of an ADTS stream, whose headers state their sizes. Raises `OSError` if it is truncated."""
    while header := stream.read(_ADTS_HEADER_BYTES):
        if len(header) < _ADTS_HEADER_BYTES or int.from_bytes(header[:2], "big") >> 4 != 0xFFF:
            raise OSError(errno.EIO, f"{FFMPEG} produced invalid AAC")
        if not header[1] & 1:
            stream.read(_CHECKSUM_BYTES)
        overhead = _ADTS_HEADER_BYTES + (0 if header[1] & 1 else _CHECKSUM_BYTES)
        size = (int.from_bytes(header[3:6], "big") >> 5 & 0x1FFF) - overhead
        packet = stream.read(max(size, 0))
        if not packet or len(packet) < size:
            raise OSError(errno.EIO, f"{FFMPEG} produced a truncated stream")
        yield packet


def _entry(sample_rate_hz: int) -> bytes:
    """Return the description of AAC packets for their decoder: MPEG-4 part 3, in the descriptors of part 1."""
    coding = struct.pack(">H", _LOW_COMPLEXITY << 11 | RATES_HZ.index(sample_rate_hz) << 7 | _MONO << 3)
    audio, sound_stream = 0x40, 0x15
    decoder = struct.pack(">BBxxxII", audio, sound_stream, 0, BITS_PER_SECOND) + _descriptor(5, coding)
    described = struct.pack(">Hx", 0) + _descriptor(4, decoder) + _descriptor(6, b"\x02")
    return boxes.sound_entry(b"mp4a", sample_rate_hz, boxes.full_box(b"esds", _descriptor(3, described)))


def _descriptor(kind: int, content: bytes) -> bytes:
    return bytes([kind, len(content)]) + content


class LosslessCoder:
    """Encodes Apple Lossless packets as soon as one is full; see `engine.audio.audio_book.Coder`."""

    packet_samples = LOSSLESS_PACKET_SAMPLES
    priming = 0
    padded = False

    def __init__(self, sample_rate_hz: int) -> None:
        self._sample_rate_hz = sample_rate_hz
        self._waiting: Pcm = np.zeros(0, np.int16)

    def entry(self) -> bytes:
        """Return the sample entry box."""
        settings = boxes.full_box(b"alac", decoder_settings(self._sample_rate_hz))
        return boxes.sound_entry(b"alac", self._sample_rate_hz, settings)

    def packets(self, pcm: Pcm) -> Sequence[bytes]:
        """Take samples [n] and return the packets that they complete."""
        waiting = np.concatenate([self._waiting, pcm])
        whole = len(waiting) // LOSSLESS_PACKET_SAMPLES * LOSSLESS_PACKET_SAMPLES
        self._waiting = waiting[whole:]
        starts = range(0, whole, LOSSLESS_PACKET_SAMPLES)
        return [packet_of(waiting[start : start + LOSSLESS_PACKET_SAMPLES], self._sample_rate_hz) for start in starts]

    def rest(self) -> Iterator[Sequence[bytes]]:
        """Yield the last packet if any samples are left."""
        if len(self._waiting):
            yield [packet_of(self._waiting, self._sample_rate_hz)]

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


def packet_of(pcm: Pcm, sample_rate_hz: int) -> bytes:
    """Return the packet of mono samples [n], 0 < n <= `LOSSLESS_PACKET_SAMPLES`.

    Raises `OSError` if the temporary folder is full. Each packet is encoded in a separate file: libsndfile encodes into
    a temporary one, and after a failure there the next packet overruns its buffer.
    """
    caf = io.BytesIO()
    soundfile.write(caf, pcm, sample_rate_hz, format="CAF", subtype="ALAC_16")
    try:
        (packet,) = packets_of(caf)[2]
    except (EOFError, ValueError) as error:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
    return packet


def decoder_settings(sample_rate_hz: int) -> bytes:
    """Return the settings for a decoder of mono 16-bit packets (`ALACSpecificConfig`); 0 stands for unknown sizes."""
    rice_history, rice_start, rice_limit, longest_run = 40, 10, 14, 255
    return struct.pack(
        ">IBBBBBBHIII",
        LOSSLESS_PACKET_SAMPLES, 0, 16, rice_history, rice_start, rice_limit, 1, longest_run, 0, 0, sample_rate_hz,
    )  # fmt: skip
