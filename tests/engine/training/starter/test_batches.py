"""Batches must hold each lesson's own tokens, curves, samples and excitation, cut at one frame."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.training.starter.batches import Item, Shelf, collate, frame_token


def test_padding_marks_what_is_beyond_the_end(items: tuple[Item, ...]) -> None:
    shorter = dataclasses.replace(
        items[0].lesson, tokens=items[0].lesson.tokens[:5], durations_frames=items[0].lesson.durations_frames[:5]
    )
    mixed = (dataclasses.replace(items[0], lesson=shorter), items[2])
    batch = collate(mixed)
    assert batch.tokens.shape == batch.padding.shape
    for row, item in enumerate(mixed):
        count = len(item.lesson.tokens)
        assert batch.tokens[row, :count].tolist() == item.lesson.tokens.tolist()
        assert (~batch.padding[row]).sum() == count


def test_every_frame_has_its_token(items: tuple[Item, ...]) -> None:
    tokens = frame_token(items[1].lesson)
    assert np.bincount(tokens).tolist() == items[1].lesson.durations_frames.tolist()


def test_styles_are_halved_into_timbre_and_prosody(items: tuple[Item, ...]) -> None:
    batch = collate(items)
    assert torch.equal(torch.cat([batch.timbre, batch.prosody], 1), batch.styles)
    assert np.array_equal(batch.prosody[3].numpy(), items[3].style[len(items[3].style) // 2 :])


def test_span_cuts_all_curves_at_the_same_place(items: tuple[Item, ...], narrow_config: ModelConfig) -> None:
    batch = collate(items, random.Random(1))
    assert batch.frames == min(item.lesson.frames for item in items)
    samples = batch.samples(narrow_config)
    for row, (item, start) in enumerate(zip(items, batch.starts, strict=True)):
        begin = start * narrow_config.samples_per_frame
        assert np.array_equal(samples[row], item.sound.samples[begin : begin + samples.shape[1]])
        assert torch.equal(batch.f0_hz()[row], torch.full((2 * batch.frames,), float(item.lesson.f0_hz[0])))


def test_excitation_is_cut_where_the_samples_are(items: tuple[Item, ...], narrow_config: ModelConfig) -> None:
    batch = collate(items[:2])
    per_frame = narrow_config.stft_frames_per_frame
    cut = batch.harmonics(narrow_config, 3, 5)
    assert cut.shape == (2, narrow_config.harmonics_channels, 5 * per_frame + 1)
    whole = items[1].sound.harmonics.astype(np.float32)
    assert np.array_equal(cut[1].numpy(), whole[3 * per_frame : 8 * per_frame + 1].T)


def test_a_lesson_of_the_text_side_has_no_sound(items: tuple[Item, ...], narrow_config: ModelConfig) -> None:
    silent = dataclasses.replace(items[0], lesson=dataclasses.replace(items[0].lesson, sound=None))
    with pytest.raises(ValueError, match="without sound"):
        collate([silent]).samples(narrow_config)


def test_spread_repeats_token_features(items: tuple[Item, ...]) -> None:
    batch = collate(items[:1])
    features = torch.arange(batch.tokens.shape[1]).float()[None, None]
    assert batch.spread(features)[0, 0].tolist() == frame_token(items[0].lesson).tolist()


def test_shelf_leaves_out_what_is_too_short(items: tuple[Item, ...]) -> None:
    assert len(Shelf(items)) == 4
    longest = max(item.lesson.frames for item in items)
    assert len(Shelf(items, longest)) == 2


@pytest.mark.parametrize("size", [1, 3, 9])
def test_draw_gives_at_most_what_there_is(items: tuple[Item, ...], size: int) -> None:
    assert len(Shelf(items).draw(random.Random(0), size).items) == min(size, 4)
