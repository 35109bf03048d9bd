"""Examples of all voices put together into padded tensors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from engine.config import F0_VALUES_PER_FRAME
from engine.starter.features import Example

NEIGHBOURS = 48
"""A batch is drawn from this many examples of similar length, so that little is cut off."""


@dataclass(frozen=True)
class Item:
    """An example and the number of the voice that spoke it."""

    example: Example
    voice: int


@dataclass(frozen=True)
class Batch:
    """Items with their tokens padded, and a common span of frames cut out of each.

    `tokens` [items, tokens]; `lengths` and `voices` [items]; `padding` [items, tokens], true beyond the end;
    `frame_token` [items, frames]: the token that each frame of the span belongs to; `starts` [items]: first frame.
    """

    items: tuple[Item, ...]
    tokens: torch.Tensor
    lengths: torch.Tensor
    padding: torch.Tensor
    voices: torch.Tensor
    frame_token: torch.Tensor
    starts: tuple[int, ...]

    @property
    def frames(self) -> int:
        """Frames in the span."""
        return int(self.frame_token.shape[1])

    def curves(self, name: str) -> torch.Tensor:
        """F0 or energy over the span, [items, 2 frames]."""
        return self._cut(name, F0_VALUES_PER_FRAME)

    def samples(self, samples_per_frame: int) -> torch.Tensor:
        """Audio over the span, [items, samples]."""
        return self._cut("samples", samples_per_frame)

    def spread(self, features: torch.Tensor) -> torch.Tensor:
        """Token features [items, channels, tokens] repeated for every frame of the span."""
        index = self.frame_token[:, None].expand(-1, features.shape[1], -1)
        return features.gather(2, index)

    def _cut(self, name: str, per_frame: int) -> torch.Tensor:
        cut = [
            getattr(item.example, name)[start * per_frame : (start + self.frames) * per_frame]
            for item, start in zip(self.items, self.starts, strict=True)
        ]
        return torch.from_numpy(np.stack(cut))


class Shelf:
    """All examples in order of length; batches are drawn from examples of similar length."""

    def __init__(self, items: Sequence[Item], shortest_frames: int = 1) -> None:
        kept = [item for item in items if item.example.frames >= shortest_frames]
        self._items = sorted(kept, key=lambda item: item.example.frames)

    def __len__(self) -> int:
        return len(self._items)

    def draw(self, chance: random.Random, size: int) -> Batch:
        """A random batch; the span is as long as its shortest example."""
        width = min(len(self._items), max(NEIGHBOURS, size))
        first = chance.randrange(len(self._items) - width + 1)
        return collate(chance.sample(self._items[first : first + width], min(size, width)), chance)


def collate(items: Sequence[Item], chance: random.Random | None = None) -> Batch:
    """Pad the items; without `chance` the span starts at each item's first frame."""
    lengths = torch.tensor([len(item.example.tokens) for item in items])
    longest = int(lengths.max())
    tokens = torch.zeros(len(items), longest, dtype=torch.long)
    for row, item in enumerate(items):
        tokens[row, : len(item.example.tokens)] = torch.from_numpy(item.example.tokens)
    span = min(item.example.frames for item in items)
    starts = tuple(chance.randint(0, item.example.frames - span) if chance else 0 for item in items)
    frame_tokens = [frame_token(item.example)[start : start + span] for item, start in zip(items, starts, strict=True)]
    return Batch(
        tuple(items),
        tokens,
        lengths,
        torch.arange(longest)[None] >= lengths[:, None],
        torch.tensor([item.voice for item in items]),
        torch.from_numpy(np.stack(frame_tokens)),
        starts,
    )


def frame_token(example: Example) -> npt.NDArray[np.int64]:
    """The token that each frame belongs to."""
    return np.repeat(np.arange(len(example.tokens)), example.durations_frames)
