"""A narrow network, and utterances of pure tones, so that every stage trains in milliseconds."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.network.ops.harmonic_source import harmonic_source
from engine.training.starter.batches import TrainingItem
from engine.training.starter.training import starter_config
from engine.training.starter.training_example import PCM_PEAK, Sound, TrainingExample
from engine.training.starter.voices import MERGING, STARTER_VOICES, TeacherParts

VOCABULARY = {symbol: index + 1 for index, symbol in enumerate(" .,!?abkzɑˈ")}
PHONEMES = "ab ka."
PACK_ROWS = 8


@pytest.fixture(scope="session")
def narrow_config() -> ModelConfig:
    config = starter_config(VOCABULARY)
    bert = dataclasses.replace(config.plbert, hidden_size=16, embedding_size=16, num_attention_heads=2)
    generator = dataclasses.replace(
        config.istftnet,
        decoder_dim=16,
        asr_res_dim=4,
        upsample_initial_channel=16,
        resblock_kernel_sizes=(3,),
        resblock_dilation_sizes=((1, 3, 5),),
    )
    return dataclasses.replace(config, hidden_dim=16, n_layer=1, max_dur=8, plbert=bert, istftnet=generator)


def tone_lesson(config: ModelConfig, parts: TeacherParts, f0_hz: float, frames_per_token: int = 2) -> TrainingExample:
    """Return an utterance with tokens of equal length, over a steady tone with two overtones."""
    tokens = np.array([0, *(config.vocab[symbol] for symbol in PHONEMES), 0], np.int32)
    durations = np.full(len(tokens), frames_per_token, np.int32)
    frames = int(durations.sum())
    samples = np.arange(frames * config.samples_per_frame) / config.sample_rate_hz
    audio = sum(0.1 / order * np.sin(2 * np.pi * order * f0_hz * samples) for order in (1, 2, 3))
    longer = np.arange(config.max_dur) < durations[:, None]
    return TrainingExample(
        "Abka.",
        PHONEMES,
        tokens,
        durations,
        np.where(longer, 20.0, -20.0).astype(np.float16),
        np.full(frames * config.f0_values_per_frame, f0_hz, np.float32),
        np.full(frames * config.f0_values_per_frame, 1.5, np.float32),
        Sound(np.rint(np.asarray(audio) * PCM_PEAK).astype(np.int16), tone_harmonics(config, parts, f0_hz, frames)),
    )


def tone_harmonics(config: ModelConfig, parts: TeacherParts, f0_hz: float, frames: int) -> np.ndarray:
    """Return the harmonic source's output for a steady F0, [STFT frames, channels]."""
    f0 = np.full((1, frames, config.f0_values_per_frame), f0_hz, np.float32)
    shape = (1, frames, config.samples_per_frame, config.harmonic_count)
    noise = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    merging = [parts.merging[name] for name in MERGING]
    stft = config.istftnet.gen_istft_n_fft, config.istftnet.gen_istft_hop_size
    return harmonic_source(f0, noise, np.array([frames], np.int32), *merging, *stft)[0].T.astype(np.float16)


@pytest.fixture(scope="session")
def parts(narrow_config: ModelConfig) -> TeacherParts:
    """Random packs of the four voices, and a merging layer."""
    chance = np.random.default_rng(1)
    shape = (PACK_ROWS, 1, 2 * narrow_config.style_dim)
    packs = {name: 0.2 * chance.standard_normal(shape).astype(np.float32) for name in STARTER_VOICES}
    weight = chance.standard_normal((1, narrow_config.harmonic_count)).astype(np.float32)
    return TeacherParts("random", packs, dict(zip(MERGING, (weight, np.zeros(1, np.float32)), strict=True)))


@pytest.fixture(scope="session")
def items(narrow_config: ModelConfig, parts: TeacherParts) -> tuple[TrainingItem, ...]:
    """Four utterances of two voices, the second slower than the first."""
    return tuple(
        TrainingItem(tone_lesson(narrow_config, parts, f0_hz, frames), voice, parts.style(voice, len(PHONEMES)))
        for voice, f0_hz, frames in (
            (STARTER_VOICES[0], 110.0, 2),
            (STARTER_VOICES[0], 120.0, 2),
            (STARTER_VOICES[1], 210.0, 3),
            (STARTER_VOICES[1], 230.0, 3),
        )
    )
