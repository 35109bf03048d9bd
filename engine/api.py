"""Speech in one call, for Python programs: text in, samples and the times of words out."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.audio.sound_file import save_speech
from engine.audio.subtitles.timed_words import TimedWord, timed_words, words_of
from engine.errors import UnknownVoice
from engine.models.checkpoints import default_model
from engine.models.installed_voices import model_of, require_installed
from engine.runtime.synthesizer import Synthesizer
from engine.speech import Samples, SpeechRequest


@dataclass(frozen=True)
class SpokenText:
    """The audio of a text: `samples` [n] float32 in [-1, 1], mono, and its words with their times in seconds."""

    samples: Samples = field(repr=False)
    sample_rate_hz: int
    words: tuple[TimedWord, ...] = field(repr=False)

    @property
    def seconds(self) -> float:
        """The length of the audio."""
        return len(self.samples) / self.sample_rate_hz

    def save(self, path: str | Path) -> None:
        """Write a .wav, .flac, .mp3, .ogg, .opus, .m4b or .m4a file; an existing one is replaced by a complete one.

        Raises `OutputError` for a different suffix, a missing or read-only folder, or a full disk.
        """
        save_speech(Path(path), self.samples, self.sample_rate_hz)


def speak(
    text: str,
    voice: str | None = None,
    *,
    speed: float = 1.0,
    language: str | None = None,
    model: str | None = None,
) -> SpokenText:
    """Speak a text with a voice or a blend, by default the model's first voice, at a speed from 0.5 to 2.

    The model is by default the best installed one that has the voice. It is loaded for each call; to speak many texts,
    or to get the audio while it is generated, use a `Synthesizer`. `language`, a BCP 47 tag, overrides the voice's.

    Raises `EngineError` children, such as `InvalidRequest` for an empty text or an unknown voice; each has a message
    and a hint.
    """
    with closing(Synthesizer(_model_with(voice) if model is None else model)) as synthesizer:
        request = SpeechRequest(text, voice or synthesizer.voices()[0].name, speed, language=language)
        chunks = list(synthesizer.synthesize(request))
        rate_hz = synthesizer.sample_rate_hz
    samples = np.concatenate([chunk.samples for chunk in chunks])
    return SpokenText(samples, rate_hz, tuple(timed_words(text, words_of(chunks), rate_hz)))


def _model_with(voice: str | None) -> str:
    """Return the best installed model that has a voice."""
    best = default_model()
    try:
        return best if voice is None else model_of(voice, best)
    except UnknownVoice:
        if voice is not None:
            require_installed(voice)
        raise
