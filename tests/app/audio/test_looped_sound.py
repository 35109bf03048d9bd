"""A sound that goes round and may be exchanged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audio.looped_sound import ENDLESS, LoopedSound, Part

RATE_HZ = 1000
RAMP = (np.arange(100, dtype=np.float32)) / 100


def test_without_a_part_it_is_the_whole_sound_once() -> None:
    sound = LoopedSound(RAMP, RATE_HZ)
    assert sound.length == 100
    np.testing.assert_array_equal(sound.between(90, 120), RAMP[90:])
    assert len(sound.read(100, 10)) == 0
    assert sound.place_of(37) == sound.position_of(37) == 37


def test_a_part_goes_round() -> None:
    sound = LoopedSound(RAMP, RATE_HZ, Part(20, 60))
    assert sound.length == ENDLESS
    rounds = sound.between(0, 120)
    np.testing.assert_array_equal(rounds[:40], rounds[40:80])
    np.testing.assert_array_equal(rounds[5:40], RAMP[25:60])
    assert [sound.place_of(each) for each in (0, 39, 40, 95)] == [20, 59, 20, 35]
    assert (sound.position_of(30), sound.position_of(10)) == (10, 0)


def test_the_end_of_a_round_goes_over_into_its_start_without_a_step() -> None:
    sound = LoopedSound(RAMP, RATE_HZ, Part(20, 60))
    rounds = sound.between(0, 120)
    assert np.abs(np.diff(rounds)).max() < 0.12  # a seam without care would be 0.4
    np.testing.assert_allclose(rounds[40], RAMP[60], atol=0.05)


def test_another_sound_takes_its_place() -> None:
    sound = LoopedSound(RAMP, RATE_HZ, Part(20, 60))
    sound.replace(-RAMP)
    np.testing.assert_array_equal(sound.between(5, 40), -RAMP[25:60])


def test_a_part_beyond_a_shorter_sound_is_no_part() -> None:
    sound = LoopedSound(RAMP, RATE_HZ, Part(20, 60))
    sound.replace(RAMP[:10])
    assert sound.length == 10


def test_what_no_device_can_play_is_limited() -> None:
    sound = LoopedSound(np.array([np.nan, np.inf, -7, 0.5], np.float32), RATE_HZ)
    assert sound.between(0, 4).tolist() == [0, 1, -1, 0.5]


@given(st.integers(-5, 105), st.integers(-5, 105), st.integers(0, 300), st.integers(1, 90))
def test_reading_and_looking_up_agree_everywhere(start: int, end: int, position: int, limit: int) -> None:
    sound = LoopedSound(RAMP, RATE_HZ, Part(start, end))
    read = sound.read(position, limit)
    np.testing.assert_array_equal(read, sound.between(position, position + len(read)))
    assert len(read) <= limit
    assert len(read) == 0 or 0 <= sound.place_of(position) < len(RAMP)


@pytest.mark.parametrize("part", [None, Part(10, 30)])
def test_a_place_is_found_again(part: Part | None) -> None:
    sound = LoopedSound(RAMP, RATE_HZ, part)
    assert sound.place_of(sound.position_of(15)) == 15
