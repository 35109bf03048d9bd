"""A narrow network and utterances of pure tones, so that every stage trains in milliseconds."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.starter.architecture import starter_config
from engine.starter.batches import Item
from engine.starter.features import Example
from engine.starter.spectra import energy_curve

VOCABULARY = {symbol: index + 1 for index, symbol in enumerate(" .,!?abkzɑˈ")}
PHONEMES = "$ab ka.$"


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


def tone_example(config: ModelConfig, f0_hz: float, frames_per_token: int = 2) -> Example:
    """An utterance with tokens of equal length, over a steady tone with two overtones."""
    durations = np.full(len(PHONEMES), frames_per_token)
    samples = np.arange(int(durations.sum()) * config.samples_per_frame) / config.sample_rate_hz
    audio = sum(0.1 / order * np.sin(2 * np.pi * order * f0_hz * samples) for order in (1, 2, 3))
    steps = int(durations.sum()) * config.f0_values_per_frame
    audio = np.asarray(audio, np.float32)
    tokens = [config.vocab.get(symbol, 0) for symbol in PHONEMES]
    return Example(
        "Abka.",
        PHONEMES,
        np.array(tokens, np.int64),
        durations.astype(np.int64),
        np.full(steps, f0_hz, np.float32),
        energy_curve(audio, config)[:steps],
        np.rint(audio * 32767).astype(np.int16),
    )


@pytest.fixture
def items(narrow_config: ModelConfig) -> tuple[Item, ...]:
    """Four utterances of two voices, the second slower than the first."""
    return tuple(
        Item(tone_example(narrow_config, f0_hz, frames), voice)
        for voice, f0_hz, frames in ((0, 110.0, 2), (0, 120.0, 2), (1, 210.0, 3), (1, 230.0, 3))
    )
