"""Minutes keep their proportions; progress says what is left."""

import pytest

from engine.distillation.options import LESSON_MINUTES, DistillProgress, scaled_minutes


def test_minutes_keep_their_proportions():
    scaled = scaled_minutes(60)
    assert sum(scaled.values()) == pytest.approx(60)
    assert scaled["pitch"] / scaled["text"] == pytest.approx(LESSON_MINUTES["pitch"] / LESSON_MINUTES["text"])


def test_progress_says_what_is_left():
    assert str(DistillProgress("pitch", 0.25, 125.4, {"shared": 0.1})) == "pitch  25%, 2:05 left in all. shared 0.1000"
