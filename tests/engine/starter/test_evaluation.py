"""Scores must be those of the requested package, and bad requests must be refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.network.architecture import build_network
from engine.starter.batches import Item
from engine.starter.evaluation import evaluate, speak_as


@pytest.mark.parametrize("sentences", [0, -1, 41])
def test_number_of_sentences_is_checked(sentences: int) -> None:
    with pytest.raises(InvalidRequest):
        evaluate(sentences)


def test_speaking_as_the_teacher_keeps_its_length_and_repeats(
    narrow_config: ModelConfig, items: tuple[Item, ...]
) -> None:
    network = build_network(narrow_config)
    style = torch.zeros(1, 2 * narrow_config.style_dim)
    first, second = (speak_as(network, style, items[0].example) for _ in range(2))
    assert first.shape == items[0].example.samples.shape
    assert np.array_equal(first, second)


def test_bundled_voices_are_understood() -> None:
    """Two short sentences; the figures of all forty are in the package's description."""
    for score in evaluate(2):
        assert score.words == 16
        assert score.word_error_rate <= 0.75
