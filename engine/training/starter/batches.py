"""Collates training examples of all voices into padded tensors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch

from engine.config import F0_VALUES_PER_FRAME, ModelConfig
from engine.training.starter.training_example import Sound, TrainingExample

NEIGHBORS = 48
"""The number of examples of similar length from which a batch is drawn, so that little is cut off."""


@dataclass(frozen=True)
class TrainingItem:
    """A training example, its voice, and the style row that the teacher used (timbre before prosody)."""

    example: TrainingExample
    voice: str
    style: npt.NDArray[np.float32] = field(repr=False)

    @property
    def sound(self) -> Sound:
        """The example's audio; raises `ValueError` for an example of the text side."""
        if self.example.sound is None:
            raise ValueError(f"“{self.example.text}” was recorded without sound.")
        return self.example.sound


@dataclass(frozen=True)
class TrainingBatch:
    """Items with their tokens padded, and a common span of frames cut out of each.

    `tokens` [items, tokens]; `lengths` [items]; `padding` [items, tokens], true beyond the end; `styles` [items,
    width]; `frame_token` [items, frames]: the token that each frame of the span belongs to; `starts` [items]: first
    frame.
    """

    items: tuple[TrainingItem, ...]
    tokens: torch.Tensor
    lengths: torch.Tensor
    padding: torch.Tensor
    styles: torch.Tensor
    frame_token: torch.Tensor
    starts: tuple[int, ...]

    @property
    def frames(self) -> int:
        """The number of frames in the span."""
        return int(self.frame_token.shape[1])

    @property
    def timbre(self) -> torch.Tensor:
        """The half of the styles that the decoder reads, [items, style width]."""
        return self.styles[:, : self.styles.shape[1] // 2]

    @property
    def prosody(self) -> torch.Tensor:
        """The half of the styles that the predictor reads, [items, style width]."""
        return self.styles[:, self.styles.shape[1] // 2 :]

    def f0_hz(self) -> torch.Tensor:
        """Return F0 over the span, [items, 2 frames]."""
        return self._cut([item.example.f0_hz for item in self.items], F0_VALUES_PER_FRAME)

    def energy(self) -> torch.Tensor:
        """Return energy over the span, [items, 2 frames]."""
        return self._cut([item.example.energy for item in self.items], F0_VALUES_PER_FRAME)

    def samples(self, config: ModelConfig) -> torch.Tensor:
        """Return audio over the span, [items, samples]."""
        return self._cut([item.sound.samples for item in self.items], config.samples_per_frame)

    def harmonics(self, config: ModelConfig, first: int, frames: int) -> torch.Tensor:
        """Return the teacher's excitation over `frames` of the span from `first` on, [items, channels, STFT frames]."""
        per_frame = config.stft_frames_per_frame
        cut = [
            item.sound.harmonics[(start + first) * per_frame : (start + first + frames) * per_frame + 1]
            for item, start in zip(self.items, self.starts, strict=True)
        ]
        return torch.from_numpy(np.stack(cut).astype(np.float32)).transpose(1, 2)

    def spread(self, features: torch.Tensor) -> torch.Tensor:
        """Repeat token features [items, channels, tokens] for every frame of the span."""
        index = self.frame_token[:, None].expand(-1, features.shape[1], -1)
        return features.gather(2, index)

    def _cut(self, curves: Sequence[npt.NDArray[np.float32]], per_frame: int) -> torch.Tensor:
        cut = [
            curve[start * per_frame : (start + self.frames) * per_frame]
            for curve, start in zip(curves, self.starts, strict=True)
        ]
        return torch.from_numpy(np.stack(cut))


class BucketSampler:
    """Draws batches of examples of similar length."""

    def __init__(self, items: Sequence[TrainingItem], min_frames: int = 1) -> None:
        kept = [item for item in items if item.example.frames >= min_frames]
        self._items = sorted(kept, key=lambda item: item.example.frames)

    def __len__(self) -> int:
        return len(self._items)

    def draw(self, chance: random.Random, size: int) -> TrainingBatch:
        """Return a random batch; the span is as long as its shortest example."""
        width = min(len(self._items), max(NEIGHBORS, size))
        first = chance.randrange(len(self._items) - width + 1)
        return collate(chance.sample(self._items[first : first + width], min(size, width)), chance)


def collate(items: Sequence[TrainingItem], chance: random.Random | None = None) -> TrainingBatch:
    """Pad the items; without `chance` the span starts at each item's first frame."""
    lengths = torch.tensor([len(item.example.tokens) for item in items])
    longest = int(lengths.max())
    tokens = torch.zeros(len(items), longest, dtype=torch.long)
    for row, item in enumerate(items):
        tokens[row, : len(item.example.tokens)] = torch.from_numpy(item.example.tokens)
    span = min(item.example.frames for item in items)
    starts = tuple(chance.randint(0, item.example.frames - span) if chance else 0 for item in items)
    frame_tokens = [frame_token(item.example)[start : start + span] for item, start in zip(items, starts, strict=True)]
    return TrainingBatch(
        tuple(items),
        tokens,
        lengths,
        torch.arange(longest)[None] >= lengths[:, None],
        torch.from_numpy(np.stack([item.style for item in items])),
        torch.from_numpy(np.stack(frame_tokens)),
        starts,
    )


def frame_token(example: TrainingExample) -> npt.NDArray[np.int64]:
    """Return the token that each frame belongs to."""
    return np.repeat(np.arange(len(example.tokens)), example.durations_frames)
