"""Compares students with their teacher on held-out sentences: durations, pitch, energy, audio, words.

Pitch, energy and audio are compared with the teacher's timing, so that frames are aligned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from engine.errors import InvalidRequest, UnusableModel
from engine.models.checkpoints import Checkpoint
from engine.models.voices.packs import find
from engine.network.distilled_stages import distilled_stages
from engine.network.exportable import exportable_stages
from engine.network.random_weights import network_with
from engine.network.student_file import Students
from engine.runtime.pipeline import initial_values, noise_seed, source_noise
from engine.runtime.runners.host import align, durations
from engine.speech import Array
from engine.stages import STAGES, stage_named
from engine.text.g2p import Phonemizer
from engine.training.distillation.data import held_out_sentences
from engine.training.starter.measures import DnsmosScore, Recognizer, WordCount
from engine.training.starter.text_stage import voiced_cents
from engine.validator.measures.audio_metrics import log_mel_l1
from engine.validator.measures.metrics import mean_square

EVALUATION_VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george", "af_bella")
FAR_FRAMES = 2
_SPEED = 1.0
_SEED = 0

Values = dict[str, Array]


@dataclass(frozen=True)
class Scores:
    """The scores of students against their teacher; scores of audio are None if no sentence was rendered.

    `far_durations` counts tokens whose durations differ by more than two frames; `f0_cents_rms` is over the values that
    are voiced in both. Word error rates, of a speech recognizer, and opinions (DNSMOS, overall) are of speech with its
    own timing.
    """

    sentences: int
    tokens: int
    equal_durations_percent: float
    far_durations: int
    f0_cents_rms: float
    energy_rms: float
    log_mel_l1: float | None
    word_error_rate: float | None
    teacher_word_error_rate: float | None
    opinion: float | None
    teacher_opinion: float | None


@dataclass(frozen=True)
class _Evaluators:
    """The evaluators of rendered speech."""

    recognizer: Recognizer
    dnsmos: DnsmosScore


@dataclass(frozen=True)
class _Sound:
    """The evaluation of the audio of one sentence: its distance to the teacher's, words, and opinions of both."""

    log_mel_l1: float
    words: WordCount
    teacher_words: WordCount
    opinion: float
    teacher_opinion: float


@dataclass
class _Sums:
    """Sums over utterances."""

    tokens: int = 0
    unequal: int = 0
    far: int = 0
    voiced: int = 0
    squared_cents: float = 0.0
    values: int = 0
    squared_energy: float = 0.0


class StagesInPyTorch:
    """A network's stages in PyTorch, some of them with students."""

    def __init__(self, checkpoint: Checkpoint, students: Students | None = None) -> None:
        self.config = checkpoint.config
        weights = checkpoint.load_weights()
        self._stages: dict[str, nn.Module] = exportable_stages(network_with(checkpoint.config, weights))
        if students is not None:
            merged = {**weights, **students.load_weights()}
            self._stages |= distilled_stages(checkpoint.config, students, merged)

    @torch.no_grad()
    def run_stage(self, stage_name: str, values: Mapping[str, Array]) -> Values:
        """Return a stage's declared outputs from its declared inputs."""
        stage = stage_named(stage_name)
        if stage_name not in self._stages:
            frame_token, frame_count = align(values["duration_logits"], values["token_count"], values["speed"])
            return {"frame_token": frame_token, "frame_count": frame_count}
        inputs = [torch.from_numpy(np.ascontiguousarray(values[tensor.name])) for tensor in stage.inputs]
        outputs: tuple[Tensor, ...] = self._stages[stage_name](*inputs)
        return {tensor.name: output.numpy() for tensor, output in zip(stage.outputs, outputs, strict=True)}

    def run_until(self, last: str, values: Values, first: str = STAGES[0].name) -> Values:
        """Return the values and the outputs of the stages from `first` to `last`."""
        names = [stage.name for stage in STAGES]
        known = dict(values)
        for name in names[names.index(first) : names.index(last) + 1]:
            if name == "source":
                frames, seed = int(known["frame_count"][0]), known["noise_seed"].tolist()
                known["source_noise"] = source_noise(self.config, frames, seed)
            known |= self.run_stage(name, known)
        return known


def evaluate(
    checkpoint: Checkpoint,
    students: Students,
    sentences: int,
    spoken: int,
    advance: Callable[[float], None] = lambda fraction: None,
) -> dict[str, Scores]:
    """Return scores by voice: five voices share the first held-out sentences, and `spoken` of them are also rendered.

    Raises `UnusableModel` for students of a different model, and `InvalidRequest` for a number out of range.
    """
    require_teacher(checkpoint, students)
    texts = held_out_sentences()
    if not 1 <= sentences <= len(texts) or not 0 <= spoken <= sentences:
        raise InvalidRequest(
            f"There are {len(texts)} held-out sentences.", "Choose 1 or more, and render no more than that."
        )
    teacher, student = StagesInPyTorch(checkpoint), StagesInPyTorch(checkpoint, students)
    voices = EVALUATION_VOICES[:sentences]
    scores = {}
    for index, voice in enumerate(voices):
        own = slice(index, sentences, len(voices)), slice(index, spoken, len(voices))
        prepared = list(_utterances(checkpoint, voice, texts[own[0]]))
        scores[voice] = _score(teacher, student, prepared, texts[own[1]])
        advance((index + 1) / len(voices))
    return scores


def require_teacher(checkpoint: Checkpoint, students: Students) -> None:
    """Raise `UnusableModel` unless these students were distilled from this checkpoint."""
    if students.teacher != checkpoint.identity:
        raise UnusableModel(
            f"The students in {students.path} were distilled from a different model than {checkpoint.name}.",
            "Choose their teacher.",
        )


def compared_durations(ours: Array, theirs: Array) -> tuple[int, int]:
    """Count durations that differ, and those that do by more than two frames, from logits [tokens, max_dur]."""
    differences = np.abs(durations(ours, _SPEED) - durations(theirs, _SPEED))
    return int(np.count_nonzero(differences)), int(np.count_nonzero(differences > FAR_FRAMES))


def _utterances(checkpoint: Checkpoint, voice: str, texts: Sequence[str]) -> Iterator[Values]:
    pack = find(checkpoint.voices, voice)
    phonemizer = Phonemizer(pack.info.language, checkpoint.config.vocab, checkpoint.config.phoneme_limit)
    for text in texts:
        phonemes = " ".join(utterance.phonemes for utterance in phonemizer.plan(text).utterances)
        values = initial_values(checkpoint.config, phonemes, pack.style(len(phonemes)), _SPEED)
        yield {**values, "noise_seed": np.array(noise_seed(_SEED, phonemes), np.int64)}


def _score(
    teacher: StagesInPyTorch, student: StagesInPyTorch, utterances: Sequence[Values], spoken: Sequence[str]
) -> Scores:
    sums = _Sums()
    sounds: list[_Sound] = []
    evaluators = _Evaluators(Recognizer(), DnsmosScore()) if spoken else None
    for index, values in enumerate(utterances):
        theirs = teacher.run_until("f0n", values)
        ours = student.run_stage("duration", theirs)
        _add(sums, theirs, ours, student.run_stage("f0n", {**theirs, **ours}))
        if evaluators and index < len(spoken):
            sounds.append(_sound(teacher, student, theirs, ours, spoken[index], evaluators))
    return _scores(len(utterances), sums, sounds)


def _add(sums: _Sums, theirs: Values, ours: Values, curves: Values) -> None:
    unequal, far = compared_durations(ours["duration_logits"][0], theirs["duration_logits"][0])
    cents, _ = voiced_cents(curves["f0"], theirs["f0"])
    sums.tokens += int(theirs["token_count"][0])
    sums.unequal += unequal
    sums.far += far
    sums.squared_cents += float(np.square(cents).sum())
    sums.voiced += len(cents)
    sums.squared_energy += mean_square(np.subtract(curves["energy"], theirs["energy"])) * theirs["energy"].size
    sums.values += theirs["energy"].size


def _sound(
    teacher: StagesInPyTorch, student: StagesInPyTorch, theirs: Values, ours: Values, text: str, evaluators: _Evaluators
) -> _Sound:
    rate_hz = teacher.config.sample_rate_hz
    reference = teacher.run_until("istft", theirs, first="text_encoder")["audio"][0]
    timed = {**theirs, **ours, **student.run_stage("f0n", {**theirs, **ours})}
    same_timing = student.run_until("istft", timed, first="text_encoder")["audio"][0]
    own_timing = student.run_until("istft", {**theirs, **ours}, first="alignment")["audio"][0]
    return _Sound(
        log_mel_l1(same_timing.astype(np.float64), reference.astype(np.float64), rate_hz),
        evaluators.recognizer.count(text, own_timing, rate_hz),
        evaluators.recognizer.count(text, reference, rate_hz),
        evaluators.dnsmos.overall(own_timing, rate_hz),
        evaluators.dnsmos.overall(reference, rate_hz),
    )


def _scores(sentences: int, sums: _Sums, sounds: Sequence[_Sound]) -> Scores:
    nothing = WordCount(0, 0)
    return Scores(
        sentences,
        sums.tokens,
        100 * (1 - sums.unequal / sums.tokens),
        sums.far,
        math.sqrt(sums.squared_cents / max(1, sums.voiced)),
        math.sqrt(sums.squared_energy / max(1, sums.values)),
        _mean([sound.log_mel_l1 for sound in sounds]),
        sum((sound.words for sound in sounds), nothing).rate if sounds else None,
        sum((sound.teacher_words for sound in sounds), nothing).rate if sounds else None,
        _mean([sound.opinion for sound in sounds]),
        _mean([sound.teacher_opinion for sound in sounds]),
    )


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
