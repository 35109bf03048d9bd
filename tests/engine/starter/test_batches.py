"""Batches must hold each example's own tokens, curves and samples, cut at one frame."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.starter.batches import Item, Shelf, collate, frame_token


def test_padding_marks_what_is_beyond_the_end(items: tuple[Item, ...]) -> None:
    batch = collate(items)
    assert batch.tokens.shape == batch.padding.shape
    for row, item in enumerate(items):
        count = len(item.example.tokens)
        assert batch.tokens[row, :count].tolist() == item.example.tokens.tolist()
        assert (~batch.padding[row]).sum() == count


def test_every_frame_has_its_token(items: tuple[Item, ...]) -> None:
    tokens = frame_token(items[1].example)
    assert np.bincount(tokens).tolist() == items[1].example.durations_frames.tolist()


def test_span_cuts_all_curves_at_the_same_place(items: tuple[Item, ...], narrow_config: ModelConfig) -> None:
    batch = collate(items, random.Random(1))
    assert batch.frames == min(item.example.frames for item in items)
    samples = batch.samples(narrow_config.samples_per_frame)
    for row, (item, start) in enumerate(zip(items, batch.starts, strict=True)):
        begin = start * narrow_config.samples_per_frame
        assert np.array_equal(samples[row], item.example.samples[begin : begin + samples.shape[1]])
        assert torch.equal(batch.curves("f0_hz")[row], torch.full((2 * batch.frames,), float(item.example.f0_hz[0])))


def test_spread_repeats_token_features(items: tuple[Item, ...]) -> None:
    batch = collate(items[:1])
    features = torch.arange(batch.tokens.shape[1]).float()[None, None]
    assert batch.spread(features)[0, 0].tolist() == frame_token(items[0].example).tolist()


def test_shelf_leaves_out_what_is_too_short(items: tuple[Item, ...]) -> None:
    assert len(Shelf(items)) == 4
    longest = max(item.example.frames for item in items)
    assert len(Shelf(items, longest)) == 2


@pytest.mark.parametrize("size", [1, 3, 9])
def test_draw_gives_at_most_what_there_is(items: tuple[Item, ...], size: int) -> None:
    assert len(Shelf(items).draw(random.Random(0), size).items) == min(size, 4)
