"""What students are taught with: batches of examples in random voices, and the losses of each lesson.

A lesson is a `TrainingStage`. Its students learn either each from its teacher's own input, side by side, or in the
chain, each from what the students before it made.
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
    Batch,
    Run,
    Teacher,
    frames_per_token,
    on_frames,
)

BATCH_TOKENS = 1200
NEIGHBOURS = 60
"""A batch is drawn from this many examples of similar length, so that little of it is padding."""
VALIDATION_BATCHES = 8
_VALIDATION_SEED = 99
DURATION_WEIGHT, CHAIN_DURATION_WEIGHT = 0.5, 2.0
"""Weight of the mean error of a duration, in frames, beside the relative error of an LSTM's output."""

PITCH_FLOOR_HZ = 50.0
"""Errors of pitch are relative to its distance from here below zero: nearly a share where there is a voice."""
SPANS, SPAN_FRAMES = 4, 120
"""So many examples of a batch, and so many frames of each, lead on to pitch and energy."""


class BucketSampler:
    """Examples in order of length, drawn in batches of about as many tokens, each example in a random voice."""

    def __init__(self, teacher: Teacher, examples: Sequence[Example], batch_tokens: int = BATCH_TOKENS) -> None:
        self._teacher = teacher
        self._examples = sorted(examples, key=lambda example: len(example.features))
        self._batch_tokens = batch_tokens

    def draw(self, chance: random.Random) -> Batch:
        """A random batch."""
        first = chance.randrange(max(1, len(self._examples) - NEIGHBOURS))
        near = self._examples[first : first + NEIGHBOURS]
        size = max(1, min(len(near), self._batch_tokens // len(near[-1].features)))
        chosen = chance.sample(near, size)
        return self._teacher.batch(chosen, [chance.choice(self._teacher.speakers(each.language)) for each in chosen])


class Lesson:
    """A lesson about some of the LSTMs; `modules` are their students by path, `rate_shares` all 1."""

    name = ""

    def __init__(
        self, teacher: Teacher, students: Mapping[str, LstmStudent], learn: BucketSampler, check: BucketSampler
    ) -> None:
        self.teacher = teacher
        self.students = students
        self.modules: dict[str, nn.Module] = {path: students[path] for path in self.paths(teacher)}
        self.rate_shares: dict[str, float] = {}
        self._learn = learn
        self._check = check

    @staticmethod
    def paths(teacher: Teacher) -> tuple[str, ...]:
        """The paths of the LSTMs that the lesson is about."""
        raise NotImplementedError

    def loss(self, chance: random.Random) -> tuple[Tensor, dict[str, float]]:
        """The loss of a random batch, and its parts."""
        terms, weights = self.terms(self._learn.draw(chance)), self.weights()
        total = torch.stack([weights.get(name, 1.0) * term for name, term in terms.items()]).sum()
        return total, {name: float(term.detach()) for name, term in terms.items()}

    def validate(self) -> dict[str, float]:
        """Means over some fixed held-out batches."""
        chance = random.Random(_VALIDATION_SEED)
        rows = [self.figures(self._check.draw(chance)) for _ in range(VALIDATION_BATCHES)]
        return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}

    def weights(self) -> dict[str, float]:
        """The weights of the loss's terms, 1 for those without."""
        return {}

    def terms(self, batch: Batch) -> dict[str, Tensor]:
        """The terms of the loss, by name."""
        raise NotImplementedError

    def figures(self, batch: Batch) -> dict[str, float]:
        """What is reported of a held-out batch: the terms, unless a lesson knows better."""
        return {name: float(term) for name, term in self.terms(batch).items()}

    def taught(self, path: str, x: Tensor, lengths: Tensor) -> Tensor:
        """The output of the student of this path; fast, in bfloat16, while it learns."""
        student = self.students[path]
        with torch.autocast("cpu", torch.bfloat16, enabled=student.training):
            output: Tensor = student(x, lengths)
        return output.float()


class DurationLesson(Lesson):
    """The LSTMs that lead to durations, from the teacher's inputs side by side."""

    name = "durations"

    @staticmethod
    def paths(teacher: Teacher) -> tuple[str, ...]:
        """The LSTMs that lead to durations."""
        return teacher.duration_lstms

    def terms(self, batch: Batch) -> dict[str, Tensor]:
        """The relative error of each output, and the mean error of the durations in frames."""
        terms: dict[str, Tensor] = {}

        def side_by_side(path: str, x: Tensor, lengths: Tensor) -> Tensor:
            with torch.no_grad():
                wanted = self.teacher.run(path, x, lengths)
            hidden = self.taught(path, x, lengths)
            terms[_short(path)] = relative_error(hidden, wanted)
            if path == DURATION_LSTM:
                terms["frames"] = self.duration_error(hidden, wanted, lengths)
            return wanted

        encoded = self.teacher.encoded(batch, side_by_side)
        side_by_side(DURATION_LSTM, encoded, batch.lengths)
        return terms

    def duration_error(self, hidden: Tensor, wanted: Tensor, lengths: Tensor) -> Tensor:
        """The mean difference of the unrounded durations, in frames."""
        ours, theirs = (torch.sigmoid(self.teacher.duration_logits(value)).sum(dim=2) for value in (hidden, wanted))
        beyond = is_beyond(ours.shape[1], lengths)
        return (ours - theirs).abs().masked_fill(beyond, 0).sum() / lengths.sum()

    def figures(self, batch: Batch) -> dict[str, float]:
        """The terms, and the share of durations that are equal in the chain of all students."""
        theirs = self._durations(batch, self.teacher.run)
        ours = self._durations(batch, self.taught)
        differences = (ours - theirs).abs()
        tokens = int(batch.lengths.sum())
        return {
            **super().figures(batch),
            "unequal": int((differences > 0).sum()) / tokens,
            "off_by_more_than_two": int((differences > 2).sum()) / tokens,
        }

    def weights(self) -> dict[str, float]:
        """Durations are weighed by `DURATION_WEIGHT`."""
        return {"frames": DURATION_WEIGHT}

    def _durations(self, batch: Batch, run: Run) -> Tensor:
        hidden = run(DURATION_LSTM, self.teacher.encoded(batch, run), batch.lengths)
        return frames_per_token(self.teacher.duration_logits(hidden), batch.lengths)


class ChainLesson(DurationLesson):
    """The same LSTMs, each from what the students before it made: errors that add up are unlearnt."""

    name = "chain"

    def weights(self) -> dict[str, float]:
        """Durations are weighed by `CHAIN_DURATION_WEIGHT`."""
        return {"frames": CHAIN_DURATION_WEIGHT}

    def terms(self, batch: Batch) -> dict[str, Tensor]:
        """As side by side, but in the chain."""
        wanted: dict[str, Tensor] = {}
        terms: dict[str, Tensor] = {}

        def remembered(path: str, x: Tensor, lengths: Tensor) -> Tensor:
            wanted[path] = self.teacher.run(path, x, lengths)
            return wanted[path]

        def chained(path: str, x: Tensor, lengths: Tensor) -> Tensor:
            hidden = self.taught(path, x, lengths)
            terms[_short(path)] = relative_error(hidden, wanted[path])
            return hidden

        with torch.no_grad():
            remembered(DURATION_LSTM, self.teacher.encoded(batch, remembered), batch.lengths)
        hidden = chained(DURATION_LSTM, self.teacher.encoded(batch, chained), batch.lengths)
        return {**terms, "frames": self.duration_error(hidden, wanted[DURATION_LSTM], batch.lengths)}


class PitchLesson(Lesson):
    """The LSTM over frames, from the features that the teacher made."""

    name = "pitch"

    @staticmethod
    def paths(teacher: Teacher) -> tuple[str, ...]:
        """The LSTM over frames."""
        return (FRAME_LSTM,)

    def terms(self, batch: Batch) -> dict[str, Tensor]:
        """The relative error of the output."""
        given, wanted, _ = self._outputs(batch)
        return {_short(FRAME_LSTM): relative_error(given, wanted)}

    def figures(self, batch: Batch) -> dict[str, float]:
        """The error of the output, and those of pitch and energy over the first frames of a few examples."""
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

    def _outputs(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """The student's output and the teacher's over frames, and the frame counts."""
        with torch.no_grad():
            encoded = self.teacher.encoded(batch, self.teacher.run)
            hidden = self.teacher.run(DURATION_LSTM, encoded, batch.lengths)
            frames = frames_per_token(self.teacher.duration_logits(hidden), batch.lengths)
            x, counts = on_frames(encoded, frames)
            wanted = self.teacher.run(FRAME_LSTM, x, counts)
        return self.taught(FRAME_LSTM, x, counts), wanted, counts


class TextLesson(Lesson):
    """The LSTM of the text encoder."""

    name = "text"

    @staticmethod
    def paths(teacher: Teacher) -> tuple[str, ...]:
        """The LSTM of the text encoder."""
        return (TEXT_LSTM,)

    def terms(self, batch: Batch) -> dict[str, Tensor]:
        """The relative error of the output."""
        with torch.no_grad():
            x = self.teacher.phoneme_inputs(batch)
            wanted = self.teacher.run(TEXT_LSTM, x, batch.lengths)
        return {_short(TEXT_LSTM): relative_error(self.taught(TEXT_LSTM, x, batch.lengths), wanted)}


def relative_error(values: Tensor, wanted: Tensor) -> Tensor:
    """The squared error as a share of the power of what is wanted; both are 0 in the padding."""
    return (values - wanted).square().sum() / wanted.square().sum()


def _short(path: str) -> str:
    return path.replace(ENCODER_LSTMS, "encoder").removeprefix("predictor.")
