"""Minutes keep their proportions."""

import pytest

from engine.training.distillation.options import LESSON_MINUTES, scaled_minutes


def test_minutes_keep_their_proportions():
    scaled = scaled_minutes(60)
    assert sum(scaled.values()) == pytest.approx(60)
    assert scaled["pitch"] / scaled["text"] == pytest.approx(LESSON_MINUTES["pitch"] / LESSON_MINUTES["text"])
