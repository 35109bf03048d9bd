import pytest

from app.audio.player import Playback
from app.speech.activity import Activity, Readiness, SaveProgress


@pytest.mark.parametrize(
    ("activity", "can_stop", "idle"),
    [
        (Activity(), False, False),
        (Activity(Readiness.READY), False, True),
        (Activity(Readiness.FAILED), False, True),
        (Activity(Readiness.READY, making=True), True, False),
        (Activity(Readiness.READY, playback=Playback.PLAYING), True, False),
        (Activity(Readiness.READY, playback=Playback.PAUSED), True, True),
        (Activity(Readiness.READY, save=SaveProgress("a.wav")), False, False),
    ],
)
def test_what_can_be_stopped_and_when_nothing_goes_on(activity: Activity, can_stop: bool, idle: bool) -> None:
    assert (activity.can_stop, activity.idle) == (can_stop, idle)
