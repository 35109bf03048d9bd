import numpy as np
import pytest

from engine.audio.stretching import stretched

RATE_HZ = 24_000


def stretched_tone(hertz: float, seconds: float = 2.0) -> np.ndarray:
    return (0.3 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE_HZ)) / RATE_HZ)).astype(np.float32)


def pitch(samples: np.ndarray) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.fft.rfftfreq(len(samples), 1 / RATE_HZ)[spectrum.argmax()])


@pytest.mark.parametrize("times_faster", [0.25, 0.5, 0.8, 1.25, 2.0, 4.0])
def test_the_length_changes_and_the_pitch_stays(times_faster: float) -> None:
    made = stretched(stretched_tone(220), times_faster, RATE_HZ)
    assert made.dtype == np.float32
    assert len(made) == round(2 * RATE_HZ / times_faster)
    assert pitch(made) == pytest.approx(220, abs=3)


@pytest.mark.parametrize("times_faster", [0.5, 0.8, 1.25, 2.0])
def test_every_sound_stays_in_its_place(times_faster: float) -> None:
    clicks = np.zeros(4 * RATE_HZ, np.float32)
    clicks[RATE_HZ::RATE_HZ] = 1
    made = np.abs(stretched(clicks, times_faster, RATE_HZ))
    for number in (1, 2, 3):
        place = round(number * RATE_HZ / times_faster)
        around = made[place - 4000 : place + 4000]
        assert abs(int(around.argmax()) - 4000) < 0.001 * RATE_HZ


def test_the_same_samples_give_the_same_samples() -> None:
    noise = np.random.default_rng(0).uniform(-0.5, 0.5, RATE_HZ).astype(np.float32)
    np.testing.assert_array_equal(stretched(noise, 1.5, RATE_HZ), stretched(noise, 1.5, RATE_HZ))


def test_a_few_samples_are_enough() -> None:
    assert len(stretched(np.ones(3, np.float32), 1.5, RATE_HZ)) == 2
