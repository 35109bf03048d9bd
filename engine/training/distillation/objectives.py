"""Defines the training stages of students: batches of examples in random voices, and losses.

Each is a `TrainingStage`. Its students learn either side by side, each from its teacher's own input, or in the chain,
each from the output of the students before it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from engine.network.exportable.blocks import is_beyond
from engine.network.student import LstmStudent
from engine.training.distillation.shards import Example
from engine.training.distillation.teacher import (
    DURATION_LSTM,
    ENCODER_LSTMS,
    FRAME_LSTM,
    TEXT_LSTM,
    DistillationTeacher,
    Run,
    TeacherBatch,
    frames_per_token,
    on_frames,
)

BATCH_TOKENS = 1200
NEIGHBORS = 60
"""The number of examples of similar length from which a batch is drawn, so that little of it is padding."""
VALIDATION_BATCHES = 8
_VALIDATION_SEED = 99
DURATION_WEIGHT, CHAIN_DURATION_WEIGHT = 0.5, 2.0
"""The weight of the mean error of a duration, in frames, relative to that of the error of an LSTM's output."""

PITCH_FLOOR_HZ = 50.0
"""The offset to F0 in relative pitch errors; where there is voice, these are nearly a share of F0."""
SPANS, SPAN_FRAMES = 4, 120
"""The number of examples of a batch, and of frames of each, for which pitch and energy are computed."""


class TeacherBatchSampler:
    """Draws batches of examples of similar length, with about the same number of tokens, each in a random voice."""

    def __init__(
        self, teacher: DistillationTeacher, examples: Sequence[Example], batch_tokens: int = BATCH_TOKENS
    ) -> None:
        self._teacher = teacher
        self._examples = sorted(examples, key=lambda example: len(example.features))
        self._batch_tokens = batch_tokens

    def draw(self, chance: random.Random) -> TeacherBatch:
        """Return a random batch."""
        first = chance.randrange(max(1, len(self._examples) - NEIGHBORS))
        near = self._examples[first : first + NEIGHBORS]
        size = max(1, min(len(near), self._batch_tokens // len(near[-1].features)))
        chosen = chance.sample(near, size)
        return self._teacher.batch(chosen, [chance.choice(self._teacher.speakers(each.language)) for each in chosen])


class TrainingObjective:
    """A training stage for some of the LSTMs; `modules` are their students by path, `rate_shares` all 1."""

    name = ""

    def __init__(
        self,
        teacher: DistillationTeacher,
        students: Mapping[str, LstmStudent],
        learn: TeacherBatchSampler,
        check: TeacherBatchSampler,
    ) -> None:
        self.teacher = teacher
        self.students = students
        self.modules: dict[str, nn.Module] = {path: students[path] for path in self.paths(teacher)}
        self.rate_shares: dict[str, float] = {}
        self._learn = learn
        self._check = check

    @staticmethod
    def paths(teacher: DistillationTeacher) -> tuple[str, ...]:
        """Return the paths of the LSTMs that the stage covers."""
        raise NotImplementedError

    def loss(self, chance: random.Random) -> tuple[Tensor, dict[str, float]]:
        """Return the loss of a random batch, and its parts."""
        terms, weights = self.terms(self._learn.draw(chance)), self.weights()
        total = torch.stack([weights.get(name, 1.0) * term for name, term in terms.items()]).sum()
        return total, {name: float(term.detach()) for name, term in terms.items()}

    def validate(self) -> dict[str, float]:
        """Return means over some fixed held-out batches."""
        chance = random.Random(_VALIDATION_SEED)
        rows = [self.figures(self._check.draw(chance)) for _ in range(VALIDATION_BATCHES)]
        return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}

    def weights(self) -> dict[str, float]:
        """Return the weights of the loss's terms; a missing one is 1."""
        return {}

    def terms(self, batch: TeacherBatch) -> dict[str, Tensor]:
        """Return the terms of the loss, by name."""
        raise NotImplementedError

    def figures(self, batch: TeacherBatch) -> dict[str, float]:
        """Return the figures of a held-out batch: by default, the terms."""
        return {name: float(term) for name, term in self.terms(batch).items()}

    def taught(self, path: str, x: Tensor, lengths: Tensor) -> Tensor:
        """Return the output of the student of this path; fast, in bfloat16, in training mode."""
        student = self.students[path]
        with torch.autocast("cpu", torch.bfloat16, enabled=student.training):
            output: Tensor = student(x, lengths)
        return output.float()


class DurationObjective(TrainingObjective):
    """Trains the LSTMs of the duration path, side by side, from the teacher's inputs."""

    name = "durations"

    @staticmethod
    def paths(teacher: DistillationTeacher) -> tuple[str, ...]:
        """Return the paths of the LSTMs of the duration path."""
        return teacher.duration_lstms

    def terms(self, batch: TeacherBatch) -> dict[str, Tensor]:
        """Return the relative error of each output, and the mean error of the durations in frames."""
        terms: dict[str, Tensor] = {}

        def side_by_side(path: str, x: Tensor, lengths: Tensor) -> Tensor:
            with torch.no_grad():
                wanted = self.teacher.run_lstm(path, x, lengths)
            hidden = self.taught(path, x, lengths)
            terms[_short(path)] = relative_error(hidden, wanted)
            if path == DURATION_LSTM:
                terms["frames"] = self.duration_error(hidden, wanted, lengths)
            return wanted

        encoded = self.teacher.encoded(batch, side_by_side)
        side_by_side(DURATION_LSTM, encoded, batch.lengths)
        return terms

    def duration_error(self, hidden: Tensor, wanted: Tensor, lengths: Tensor) -> Tensor:
        """Return the mean difference of the unrounded durations, in frames."""
        ours, theirs = (torch.sigmoid(self.teacher.duration_logits(value)).sum(dim=2) for value in (hidden, wanted))
        beyond = is_beyond(ours.shape[1], lengths)
        return (ours - theirs).abs().masked_fill(beyond, 0).sum() / lengths.sum()

    def figures(self, batch: TeacherBatch) -> dict[str, float]:
        """Return the terms, and the shares of durations that differ in the chain of all students."""
        theirs = self._durations(batch, self.teacher.run_lstm)
        ours = self._durations(batch, self.taught)
        differences = (ours - theirs).abs()
        tokens = int(batch.lengths.sum())
        return {
            **super().figures(batch),
            "unequal": int((differences > 0).sum()) / tokens,
            "off_by_more_than_two": int((differences > 2).sum()) / tokens,
        }

    def weights(self) -> dict[str, float]:
        """Return the weights; durations have `DURATION_WEIGHT`."""
        return {"frames": DURATION_WEIGHT}

    def _durations(self, batch: TeacherBatch, run: Run) -> Tensor:
        hidden = run(DURATION_LSTM, self.teacher.encoded(batch, run), batch.lengths)
        return frames_per_token(self.teacher.duration_logits(hidden), batch.lengths)


class ChainObjective(DurationObjective):
    """Trains the same LSTMs, each from the outputs of the students before it, to reduce accumulated errors."""

    name = "chain"

    def weights(self) -> dict[str, float]:
        """Return the weights; durations have `CHAIN_DURATION_WEIGHT`."""
        return {"frames": CHAIN_DURATION_WEIGHT}

    def terms(self, batch: TeacherBatch) -> dict[str, Tensor]:
        """Return the same terms as side by side, but in the chain."""
        wanted: dict[str, Tensor] = {}
        terms: dict[str, Tensor] = {}

        def remembered(path: str, x: Tensor, lengths: Tensor) -> Tensor:
            wanted[path] = self.teacher.run_lstm(path, x, lengths)
            return wanted[path]

        def chained(path: str, x: Tensor, lengths: Tensor) -> Tensor:
            hidden = self.taught(path, x, lengths)
            terms[_short(path)] = relative_error(hidden, wanted[path])
            return hidden

        with torch.no_grad():
            remembered(DURATION_LSTM, self.teacher.encoded(batch, remembered), batch.lengths)
        hidden = chained(DURATION_LSTM, self.teacher.encoded(batch, chained), batch.lengths)
        return {**terms, "frames": self.duration_error(hidden, wanted[DURATION_LSTM], batch.lengths)}


class PitchObjective(TrainingObjective):
    """Trains the LSTM over frames, from the teacher's features."""

    name = "pitch"

    @staticmethod
    def paths(teacher: DistillationTeacher) -> tuple[str, ...]:
        """Return the path of the LSTM over frames."""
        return (FRAME_LSTM,)

    def terms(self, batch: TeacherBatch) -> dict[str, Tensor]:
        """Return the relative error of the output."""
        given, wanted, _ = self._outputs(batch)
        return {_short(FRAME_LSTM): relative_error(given, wanted)}

    def figures(self, batch: TeacherBatch) -> dict[str, float]:
        """Return the error of the output, and those of pitch and energy over the first frames of a few examples."""
        given, wanted, counts = self._outputs(batch)
        longest = counts.argsort(descending=True)[:SPANS]
        span = slice(0, min(SPAN_FRAMES, int(counts[longest].min())))
        pitch, energy = self.teacher.curves(given[longest, span], batch.styles[longest])
        wanted_pitch, wanted_energy = self.teacher.curves(wanted[longest, span], batch.styles[longest])
        relative = (pitch - wanted_pitch) / (PITCH_FLOOR_HZ + wanted_pitch.clamp(min=0))
        return {
            _short(FRAME_LSTM): float(relative_error(given, wanted)),
            "pitch": float(relative.abs().mean()),
            "energy": float((energy - wanted_energy).abs().mean()),
        }

    def _outputs(self, batch: TeacherBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Return the student's output and the teacher's over frames, and the frame counts."""
        with torch.no_grad():
            encoded = self.teacher.encoded(batch, self.teacher.run_lstm)
            hidden = self.teacher.run_lstm(DURATION_LSTM, encoded, batch.lengths)
            frames = frames_per_token(self.teacher.duration_logits(hidden), batch.lengths)
            x, counts = on_frames(encoded, frames)
            wanted = self.teacher.run_lstm(FRAME_LSTM, x, counts)
        return self.taught(FRAME_LSTM, x, counts), wanted, counts


class TextObjective(TrainingObjective):
    """Trains the LSTM of the text encoder."""

    name = "text"

    @staticmethod
    def paths(teacher: DistillationTeacher) -> tuple[str, ...]:
        """Return the path of the LSTM of the text encoder."""
        return (TEXT_LSTM,)

    def terms(self, batch: TeacherBatch) -> dict[str, Tensor]:
        """Return the relative error of the output."""
        with torch.no_grad():
            x = self.teacher.phoneme_inputs(batch)
            wanted = self.teacher.run_lstm(TEXT_LSTM, x, batch.lengths)
        return {_short(TEXT_LSTM): relative_error(self.taught(TEXT_LSTM, x, batch.lengths), wanted)}


def relative_error(values: Tensor, wanted: Tensor) -> Tensor:
    """Return the squared error as a share of the power of the target; both are 0 in the padding."""
    return (values - wanted).square().sum() / wanted.square().sum()


def _short(path: str) -> str:
    return path.replace(ENCODER_LSTMS, "encoder").removeprefix("predictor.")
