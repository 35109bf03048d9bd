"""A cache of generated speech, keyed by all that determines its samples, with limits in memory and on disk."""

from __future__ import annotations

import hashlib
import logging
import os
import zipfile
from collections import OrderedDict
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np

from engine.speech import Speech, Style, UtteranceEdit
from engine.system.atomic_write import write_atomically

log = logging.getLogger(__name__)

MEMORY_BYTES = 16_000_000
"""Nearly three minutes of speech: the part likely to be replayed, without a novel filling the memory."""
DISK_BYTES = 512_000_000
"""An hour and a half of speech."""
EDITING_VERSION = 2
"""Increased whenever equal edits come to sound different: cached speech with edits is then made again."""
_SUFFIX = ".npz"


class SpeechCache:
    """An LRU cache of the model's output for utterances.

    The folder may be shared by several processes, and be emptied at any time. If it cannot be written, the cache still
    works in memory.
    """

    def __init__(self, folder: Path, memory_bytes: int = MEMORY_BYTES, disk_bytes: int = DISK_BYTES) -> None:
        self._folder = folder
        self._memory_bytes = memory_bytes
        self._disk_bytes = disk_bytes
        self._in_memory: OrderedDict[str, Speech] = OrderedDict()

    def find(self, key: str) -> Speech | None:
        """Return the speech cached under a key, or None."""
        speech = self._in_memory.get(key) or self._read(self._path(key))
        if speech is not None:
            self._hold(key, speech)
            with suppress(OSError):  # the folder may be emptied at any time
                os.utime(self._path(key))
        return speech

    def store_speech(self, key: str, speech: Speech) -> None:
        """Store speech under a key."""
        self._hold(key, speech)
        content = BytesIO()
        np.savez(content, samples=speech.samples, edges=speech.edges)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(key), content.getvalue())
            self._make_room()
        except OSError as error:
            log.warning("Generated audio can’t be cached in %s (%s).", self._folder, error.strerror)

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}{_SUFFIX}"

    def _hold(self, key: str, speech: Speech) -> None:
        self._in_memory[key] = speech
        self._in_memory.move_to_end(key)
        while len(self._in_memory) > 1 and self._bytes_in_memory > self._memory_bytes:
            self._in_memory.popitem(last=False)

    @property
    def _bytes_in_memory(self) -> int:
        return sum(speech.samples.nbytes + speech.edges.nbytes for speech in self._in_memory.values())

    def _read(self, path: Path) -> Speech | None:
        """Read speech from a file and mark it as just used; return None if it is missing or damaged."""
        try:
            with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
                speech = Speech(arrays["samples"].astype(np.float32), arrays["edges"].astype(np.int64))
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
            return None
        return speech

    def _make_room(self) -> None:
        files = sorted(self._folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
        size = 0
        for path in files:
            size += path.stat().st_size
            if size > self._disk_bytes:
                path.unlink(missing_ok=True)


def key_of(
    made_by: str, phonemes: str, style: Style, speed: float, seed: int, edit: UtteranceEdit | None = None
) -> str:
    """Return the cache key for these phonemes; `made_by` names the weights and the code that uses them."""
    changes = "" if edit is None else f"{EDITING_VERSION} {edit.changes!r}"
    digest = hashlib.sha256(f"{made_by}\n{phonemes}\n{speed!r}\n{seed}\n{changes}".encode())
    for array in (style.timbre, style.prosody):
        digest.update(np.ascontiguousarray(array, np.float32).tobytes())
    return digest.hexdigest()
