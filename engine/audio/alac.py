"""Apple Lossless: libsndfile writes it into a CAF file, from which it is taken, packet by packet."""

from __future__ import annotations

import errno
import io
import os
import struct
from collections.abc import Iterator, Sequence

import numpy as np
import soundfile

from engine.audio import mp4_boxes as boxes
from engine.audio.caf import packets_of
from engine.audio.recording import Pcm

PACKET_SAMPLES = 4096
"""A packet, which can be decoded by itself, has this many samples; the last of a stream may have fewer."""


class LosslessCoder:
    """Packets of Apple Lossless, made as soon as there are samples for one; see `engine.audio.audio_book.Coder`."""

    packet_samples = PACKET_SAMPLES
    priming = 0
    padded = False

    def __init__(self, sample_rate_hz: int) -> None:
        self._sample_rate_hz = sample_rate_hz
        self._waiting: Pcm = np.zeros(0, np.int16)

    def entry(self) -> bytes:
        """How the packets are coded."""
        settings = boxes.full_box(b"alac", decoder_settings(self._sample_rate_hz))
        return boxes.sound_entry(b"alac", self._sample_rate_hz, settings)

    def packets(self, pcm: Pcm) -> Sequence[bytes]:
        """Take samples [n]; the packets that these complete."""
        waiting = np.concatenate([self._waiting, pcm])
        whole = len(waiting) // PACKET_SAMPLES * PACKET_SAMPLES
        self._waiting = waiting[whole:]
        starts = range(0, whole, PACKET_SAMPLES)
        return [packet_of(waiting[start : start + PACKET_SAMPLES], self._sample_rate_hz) for start in starts]

    def rest(self) -> Iterator[Sequence[bytes]]:
        """The last packet, if any samples are left."""
        if len(self._waiting):
            yield [packet_of(self._waiting, self._sample_rate_hz)]

    def close(self) -> None:
        """Have nothing to let go of."""


def packet_of(pcm: Pcm, sample_rate_hz: int) -> bytes:
    """The packet of mono samples [n], 0 < n <= `PACKET_SAMPLES`; raises `OSError` if the temporary folder is full.

    Each is a file of its own: libsndfile encodes into a temporary one, and after a failure in that overruns its buffer
    with the next packet.
    """
    caf = io.BytesIO()
    soundfile.write(caf, pcm, sample_rate_hz, format="CAF", subtype="ALAC_16")
    try:
        (packet,) = packets_of(caf)[2]
    except (EOFError, ValueError) as error:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
    return packet


def decoder_settings(sample_rate_hz: int) -> bytes:
    """What a decoder of mono 16-bit packets must know (`ALACSpecificConfig`); 0 stands for sizes not known before."""
    rice_history, rice_start, rice_limit, longest_run = 40, 10, 14, 255
    return struct.pack(
        ">IBBBBBBHIII",
        PACKET_SAMPLES, 0, 16, rice_history, rice_start, rice_limit, 1, longest_run, 0, 0, sample_rate_hz,
    )  # fmt: skip
