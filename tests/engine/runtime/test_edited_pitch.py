"""The pitch of edited speech, as WORLD hears it: in the excitation, and in the audio.

The decoder is a neural vocoder: the audio differs from the excitation by some 30 to 60 cents at any moment, edited or
not. That is the model; an edit may not add to it.
"""

from collections.abc import Iterator

import pytest

from engine.runtime.synthesizer import Synthesizer
from tests.engine.runtime.edited_pitch import CURVES, OWN, RecordedSpeech, follow, shifted_by
from tests.starter_voices import FEMALE, MALE
from tests.trained import needs_trained

pytestmark = pytest.mark.slow

LARGEST_CENTS = 10.0
"""The limit for everything that an edit controls."""
MORE_CENTS = 30.0
"""The limit for the decoder's own distance from a drawn curve, beyond that from the model’s own curve."""


@pytest.fixture(scope="module")
def starter_cpu() -> Iterator[Synthesizer]:
    made = Synthesizer("starter", "cpu")
    yield made
    made.close()


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("starter_cpu", FEMALE), id="starter-female"),
        pytest.param(("starter_cpu", MALE), id="starter-male"),
        *(
            pytest.param(("trained_synthesizer", voice), marks=needs_trained, id=f"trained-{voice}")
            for voice in ("af_heart", "bm_george")
        ),
    ],
)
def chosen(request: pytest.FixtureRequest) -> tuple[Synthesizer, str]:
    """A model and a voice of it."""
    fixture, voice = request.param
    return request.getfixturevalue(fixture), voice


@pytest.fixture(scope="module")
def followed() -> dict[tuple[Synthesizer, str], dict[str, RecordedSpeech]]:
    """The speech of each voice, which is followed once: later, its stages would be cached."""
    return {}


@pytest.fixture
def spoken(
    chosen: tuple[Synthesizer, str], followed: dict[tuple[Synthesizer, str], dict[str, RecordedSpeech]]
) -> dict[str, RecordedSpeech]:
    if chosen not in followed:
        followed[chosen] = dict(follow(*chosen))
    return followed[chosen]


@pytest.mark.parametrize("curve", CURVES)
def test_the_excitation_has_the_pitch_that_was_drawn(spoken, curve):
    fit = spoken[curve].fit_of(spoken[curve].excitation)
    assert fit.rms < LARGEST_CENTS
    assert fit.gross_share < 0.05
    assert fit.values > 100


@pytest.mark.parametrize("curve", [OWN, "wave"])
def test_it_has_it_at_its_time(spoken, curve):
    followed = spoken[curve]
    for samples, delays in ((followed.excitation, (-1, 1)), (followed.audio, (-3, 3))):
        now = followed.fit_of(samples).rms
        assert all(now < followed.fit_of(samples, delay).rms for delay in delays)


@pytest.mark.parametrize("curve", CURVES)
def test_the_audio_follows_a_drawn_curve_as_the_models_own(spoken, curve):
    own, drawn = (spoken[name].fit_of(spoken[name].audio) for name in (OWN, curve))
    assert drawn.rms < own.rms + MORE_CENTS
    assert drawn.median < own.median + LARGEST_CENTS
    assert drawn.gross_share < 0.2


@pytest.mark.parametrize("cents", [-200.0, 300.0])
def test_audio_pitch_shifts_by_the_requested_amount(chosen, cents):
    assert shifted_by(*chosen, cents) == pytest.approx(cents, abs=LARGEST_CENTS)


@pytest.mark.parametrize("curve", CURVES)
def test_drawing_pitch_leaves_durations_and_voicing_as_they_are(spoken, curve):
    own, drawn = spoken[OWN].contours, spoken[curve].contours
    assert (drawn.frames == own.frames).all()
    assert ((drawn.pitch > 0) == (own.pitch > 0)).all()
    assert (drawn.energy == own.energy).all()
