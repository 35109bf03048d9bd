"""Audio for tests, and a history and a queue in a folder, without threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from app.audio.track import AudioTrack
from app.library.database import open_library
from app.library.generated_audio import generated_audio_of
from app.library.history import History, sound_path
from app.library.queue_store import QueueStore
from app.library.records import first_words, key_of
from app.library.sounds import marks_text, write_sound
from engine.speech import Plan, SpeechRequest
from tests.app.fakes import chunk_of, utterances_of

MODEL = "starter"


def request(text: str, voice: str = "af_heart") -> SpeechRequest:
    return SpeechRequest(text, voice, 1.25)


def track_of(text: str, made: int | None = None) -> AudioTrack:
    """Return a track with a second of noise for each of the first `made` sentences."""
    track, utterances = AudioTrack(), utterances_of(text)
    track.plan(Plan(utterances))
    for utterance in utterances[:made]:
        track.append(chunk_of(utterance, len(utterances)))
    track.finish()
    return track


class ExampleLibrary:
    """An open library; each entry begins a second after the one before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1000.0
        self.database, self.aside = open_library(folder)
        self.history = History(self.database, folder, self.clock)
        self.queue = QueueStore(self.database)
        self.history.limit(100)

    def clock(self) -> float:
        self.now += 1
        return self.now

    def speak(self, text: str, seconds: int = 1) -> int:
        """Add an entry with its audio; return its number."""
        self.history.add_entry(request(text), MODEL)
        self.keep(text, seconds)
        return next(each.number for each in self.history.listed().entries if each.title == first_words(text))

    def keep(self, text: str, seconds: int = 1) -> None:
        track = track_of("A. " * seconds)
        key = key_of(request(text), MODEL)
        made = generated_audio_of(track)
        write_sound(sound_path(self.folder, key), made)
        self.history.save_audio(key, made.seconds, marks_text(made.marks))

    def titles(self) -> list[str]:
        return [entry.title for entry in self.history.listed().entries]

    def with_sound(self) -> list[str]:
        return [entry.title for entry in self.history.listed().entries if entry.kept_bytes]


def samples_16_bits(track: AudioTrack) -> np.ndarray:
    return np.rint(track.samples() * 32767) / 32768
