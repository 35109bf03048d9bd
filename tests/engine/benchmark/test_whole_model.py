"""A peer that is one file, and predicts the durations itself."""

import numpy as np
import pytest

from engine.benchmark.peer_runners import NEAR_ENOUGH, WHOLE_MODEL, fitted_speed, frames_of, whole_model_parts
from engine.errors import EngineError


def frames_at(natural, tokens):
    """Durations as the model rounds them: tokens of different lengths, each at least a frame."""
    durations = np.random.default_rng(0).uniform(0.2, 1.8, tokens) * natural

    def count(speed):
        return int(np.maximum(1, np.round(durations / speed)).sum())

    return count


@pytest.mark.parametrize("natural", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("wanted", [200, 400])
def test_a_speed_is_found_for_a_length(natural, wanted):
    count = frames_at(natural, tokens=67)
    speed, frames = fitted_speed(count, wanted)
    assert frames == count(speed)
    assert abs(frames - wanted) <= NEAR_ENOUGH * wanted


def test_of_speeds_that_are_only_nearly_right_the_best_is_taken():
    assert fitted_speed(lambda speed: 105, 100)[1] == 105


def test_a_model_that_cannot_speak_for_so_long_is_an_error():
    with pytest.raises(EngineError, match="50 frames where 100 are wanted"):
        fitted_speed(lambda speed: 50, 100)


class Speaking:
    """Stands in for the model: a frame more than asked for at speed 1."""

    def __init__(self, samples_per_frame):
        self.samples_per_frame = samples_per_frame
        self.given = []

    def run(self, tokens, style, speed):
        self.given.append((tokens, style, speed))
        return np.zeros(51 * self.samples_per_frame, np.float32)


def test_a_whole_model_is_one_part_whose_work_is_told(tiny_config):
    model = Speaking(tiny_config.samples_per_frame)
    values = {
        "tokens": np.ones((1, 17), np.int32),
        "timbre": np.full((1, 8), 1, np.float32),
        "prosody": np.full((1, 8), 2, np.float32),
        "frame_count": np.array([50], np.int32),
    }
    parts = whole_model_parts(model, tiny_config)(values)
    assert list(parts) == [WHOLE_MODEL]
    assert parts[WHOLE_MODEL].times_the_work == 51 / 50
    before = len(model.given)
    parts[WHOLE_MODEL].run()
    ((tokens, style, _),) = model.given[before:]
    assert tokens.shape == (1, 17)
    assert style.tolist() == [[1.0] * 8 + [2.0] * 8]


@pytest.mark.parametrize("audio", [np.zeros(0), np.full(6000, np.nan)])
def test_audio_that_is_none_is_an_error(tiny_config, audio):
    with pytest.raises(EngineError, match="empty, or not finite"):
        frames_of(audio, tiny_config)
