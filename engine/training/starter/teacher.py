"""The teacher: Kokoro-82M in our compiled stages, whose values at every stage are the student's training data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from engine.config import ModelConfig
from engine.errors import EngineError, RecoveryAction
from engine.models.checkpoints import Checkpoint, open_checkpoint
from engine.runtime.pipeline import Pipeline, ignore
from engine.runtime.preparation.files import ensure_files, load_stages
from engine.runtime.runners.base import Runner
from engine.runtime.runners.host import HostRunner
from engine.speech import Array, Utterance
from engine.stages import StagePlace
from engine.text.g2p import Phonemizer
from engine.text.languages import language_of
from engine.training.starter.training_example import PCM_PEAK, Sound, TrainingExample
from engine.training.starter.voices import MERGING, STARTER_VOICES, TeacherParts

TEACHER_MODEL = "kokoro-82m"
TEACHER_DEVICE = "cpu"
THREADS = 1
SEED = 0
LAST_OF_TEXT_SIDE = "f0n"
SHARED = ("vocab", "style_dim", "max_dur", "samples_per_frame", "harmonics_channels", "harmonic_count")
"""The properties that teacher and student must share, by the names of `ModelConfig`."""


class KokoroTeacher:
    """Speaks texts with the voices of Kokoro-82M, on one core; call `close` after use."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        files = ensure_files(checkpoint, TEACHER_DEVICE, ignore, None)
        compiled = load_stages(checkpoint.config, files, THREADS, ignore)
        runners: dict[StagePlace, Runner] = {
            StagePlace.DEVICE: compiled,
            StagePlace.HOST: HostRunner(checkpoint.config),
        }
        self._pipeline = Pipeline(checkpoint.config, runners)
        self._phonemizers: dict[str, Phonemizer] = {}

    def examples(self, text: str, voice: str, with_sound: bool) -> Iterator[TrainingExample]:
        """Yield each utterance of `text`, as the app divides it."""
        for utterance in self._phonemizer(voice).plan(text).utterances:
            yield self._taught(utterance, voice, with_sound)

    def parts(self) -> TeacherParts:
        """Return the parts that the student takes over."""
        weights = self.checkpoint.load_weights()
        packs = {name: self.checkpoint.voices[name].table.astype(np.float32) for name in STARTER_VOICES}
        return TeacherParts(self.checkpoint.identity, packs, {name: weights[name] for name in MERGING})

    def close(self) -> None:
        """Release the model."""
        self._pipeline.close()

    def _taught(self, utterance: Utterance, voice: str, with_sound: bool) -> TrainingExample:
        style = self.checkpoint.voices[voice].style(len(utterance.phonemes))
        values: dict[str, Array] = {}
        for step in self._pipeline.steps(utterance, style, 1.0, SEED):
            values |= {**step.inputs, **step.outputs}
            if step.stage.name == LAST_OF_TEXT_SIDE and not with_sound:
                break
        return _lesson(utterance, values)

    def _phonemizer(self, voice: str) -> Phonemizer:
        language = language_of(self.checkpoint.voices[voice].info.language).tag
        if language not in self._phonemizers:
            config = self.checkpoint.config
            self._phonemizers[language] = Phonemizer(language, frozenset(config.vocab), config.phoneme_limit)
        return self._phonemizers[language]


def open_teacher(student: ModelConfig) -> KokoroTeacher:
    """Open the installed Kokoro-82M.

    Raises `MissingModel` with installation instructions, and `EngineError` if its symbols, styles or rates differ from
    the student's.
    """
    checkpoint = open_checkpoint(TEACHER_MODEL)
    for name in SHARED:
        if getattr(checkpoint.config, name) != getattr(student, name):
            raise EngineError(
                f"{TEACHER_MODEL}’s architecture differs from its students’: {name}.",
                f"Install the published model with: kokoro-desk models fetch {TEACHER_MODEL}",
                RecoveryAction.GET_MODEL,
            )
    return KokoroTeacher(checkpoint)


def _lesson(utterance: Utterance, values: Mapping[str, Array]) -> TrainingExample:
    tokens = values["tokens"][0].astype(np.int32)
    return TrainingExample(
        utterance.text,
        utterance.phonemes,
        tokens,
        np.bincount(values["frame_token"][0], minlength=len(tokens)).astype(np.int32),
        values["duration_logits"][0].astype(np.float16),
        values["f0"][0].reshape(-1).astype(np.float32),
        values["energy"][0].reshape(-1).astype(np.float32),
        _sound(values) if "audio" in values else None,
    )


def _sound(values: Mapping[str, Array]) -> Sound:
    pcm = np.rint(np.clip(values["audio"][0].reshape(-1), -1.0, 1.0) * PCM_PEAK).astype(np.int16)
    return Sound(pcm, values["harmonics"][0].T.astype(np.float16))
