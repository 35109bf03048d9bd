"""Caches the generated audio of parts until the export is written, so that an interrupted export can resume."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from engine.audio.recording import Pcm, to_pcm
from engine.errors import DamagedFile, InvalidRequest, OutputError
from engine.runtime.edit_files import request_fields
from engine.speech import AudioChunk, SpeechRequest, SpokenWord
from engine.system.atomic_write import write_atomically
from engine.system.json_text import json_value
from engine.system.paths import cache_folder
from engine.text.g2p.directions import read_script
from engine.text.g2p.user_lexicon.store import UserLexicon

KEPT_DAYS = 7
_DAY_SECONDS = 86_400
_FORMAT = "FLAC"


@dataclass(frozen=True)
class RenderedPart:
    """Mono samples [n] and their words; `start` and `end` of a word are character offsets in the part."""

    pcm: Pcm
    words: tuple[SpokenWord, ...]


def made_of(chunks: Sequence[AudioChunk]) -> RenderedPart:
    """Join the audio and words of a whole request; empty if it has no audio."""
    words: list[SpokenWord] = []
    length = 0
    for chunk in chunks:
        words += (
            SpokenWord(word.start, word.end, length + word.start_sample, length + word.end_sample)
            for word in chunk.words
        )
        length += len(chunk.samples)
    pcm = np.concatenate([np.zeros(0, np.int16), *(to_pcm(chunk.samples) for chunk in chunks)])
    return RenderedPart(pcm, tuple(words))


def fingerprint_of(request: SpeechRequest, fingerprint: Callable[[str], str]) -> str:
    """Join the fingerprints of the voices that speak a request: its own and those that its text names.

    `fingerprint` raises `InvalidRequest` for an unknown voice, which has no effect in a text.
    """
    recipe_of = request.definitions.recipe_of
    fingerprints = [fingerprint(recipe_of(request.voice))]
    for name in sorted(read_script(request.text).voices):
        with suppress(InvalidRequest):
            fingerprints.append(f"{name}: {fingerprint(recipe_of(name))}")
    return "\n".join(fingerprints)


def _no_fingerprint(_voice: str) -> str:
    return ""


class PartCache:
    """A cache of parts by request; `fingerprint` names anything else that the samples of a voice depend on.

    A change of a voice affects only the parts that it speaks, and a change of the user's lexicon only those with a
    changed word. During the life of this object, both count as unchanged.
    """

    def __init__(self, fingerprint: Callable[[str], str] = _no_fingerprint, folder: Path | None = None) -> None:
        self._fingerprint = cache(fingerprint)
        self._folder = folder or cache_folder() / "exports"
        self._lexicon = UserLexicon()
        self._keys: dict[SpeechRequest, str] = {}

    def has(self, request: SpeechRequest) -> bool:
        """Return whether the part is cached and undamaged."""
        return self._kept(request) is not None

    def has_other_version(self, request: SpeechRequest) -> bool:
        """Return whether the part is cached with other pronunciations, or from a different model or voice."""
        found = self._folder.glob(f"{_digest_of(request_fields(request))}-*")
        return any(path.stem != self._key(request) for path in found)

    def store_part(self, request: SpeechRequest, made: RenderedPart, sample_rate_hz: int) -> None:
        """Store a part; raises `OutputError` if the folder cannot be written or the disk is full."""
        sound = io.BytesIO()
        if len(made.pcm):
            soundfile.write(sound, made.pcm, sample_rate_hz, format=_FORMAT, subtype="PCM_16")
        words = [[word.start, word.end, word.start_sample, word.end_sample] for word in made.words]
        kept = {"digest": _digest(words, sound.getvalue()), "words": words}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._words_path(request), json.dumps(kept).encode())
            write_atomically(self._sound_path(request), sound.getvalue())
        except OSError as error:
            raise self._no_more(error) from error

    def read(self, request: SpeechRequest) -> RenderedPart:
        """Read a cached part; raises `OutputError` if it is missing or damaged."""
        kept = self._kept(request)
        if kept is None:
            raise OutputError(f"Cached audio is missing from {self._folder}.", "Export again to regenerate it.")
        words, sound = kept
        pcm = soundfile.read(io.BytesIO(sound), dtype="int16")[0] if sound else np.zeros(0, np.int16)
        return RenderedPart(pcm, tuple(SpokenWord(*word) for word in words))

    def drop(self, requests: Iterable[SpeechRequest]) -> None:
        """Delete parts that the export has written."""
        for request in requests:
            self._sound_path(request).unlink(missing_ok=True)
            self._words_path(request).unlink(missing_ok=True)

    def drop_all(self, requests: Iterable[SpeechRequest]) -> None:
        """Delete parts that are no longer needed, regardless of their fingerprint."""
        named = {_digest_of(request_fields(request)) for request in requests}
        for path in self._folder.glob("*") if self._folder.is_dir() else ():
            if path.name.partition("-")[0] in named:
                path.unlink(missing_ok=True)

    def drop_old(self) -> None:
        """Delete leftovers of exports that were not resumed within `KEPT_DAYS`."""
        oldest = time.time() - KEPT_DAYS * _DAY_SECONDS
        for path in self._folder.glob("*") if self._folder.is_dir() else ():
            with suppress(OSError):  # other processes may have deleted it
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def _kept(self, request: SpeechRequest) -> tuple[list[Any], bytes] | None:
        """Return words and audio file, empty for silence; None unless both exist and match their common digest."""
        try:
            sound = self._sound_path(request).read_bytes()
            kept = json_value(self._words_path(request).read_bytes())
            words: list[Any] = kept["words"]
            return (words, sound) if kept["digest"] == _digest(words, sound) else None
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def _no_more(self, error: OSError) -> OutputError:
        """Return the error for a part that cannot be stored."""
        hint = "Free up some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "Make that folder writable"
        return OutputError(
            f"Couldn’t save more audio in {self._folder} ({error.strerror}). The finished audio is saved there.",
            f"{hint}, then export again to resume.",
        )

    def _sound_path(self, request: SpeechRequest) -> Path:
        return self._folder / f"{self._key(request)}.flac"

    def _words_path(self, request: SpeechRequest) -> Path:
        return self._folder / f"{self._key(request)}.json"

    def _key(self, request: SpeechRequest) -> str:
        if request not in self._keys:
            entries = ""
            with suppress(DamagedFile):  # speech does without a damaged lexicon, too
                entries = self._lexicon.fingerprint(request.text, request.definitions)
            circumstances = _digest_of(f"{fingerprint_of(request, self._fingerprint)}{entries}")
            self._keys[request] = f"{_digest_of(request_fields(request))}-{circumstances}"
        return self._keys[request]


def _digest_of(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def _digest(words: list[Any], sound: bytes) -> str:
    return hashlib.sha256(json.dumps(words).encode() + sound).hexdigest()
