import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from app.speech.activity import Activity, Readiness, SaveProgress
from app.speech.progress_estimator import DEFAULT_SECONDS, ProgressEstimator
from app.speech.status_line import LONG_CHARACTERS, StatusLine, describe
from engine.speech import DeviceEvent, PreparationEvent
from engine.stages import DEVICE_STAGES
from tests.app.fakes import FakeClock

READY = Activity(Readiness.READY)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def status(qtbot: QtBot, clock: FakeClock) -> StatusLine:
    status = StatusLine(clock=clock)
    qtbot.addWidget(status)
    status.resize(700, 30)
    status.show()
    return status


def test_preparing_shows_how_far_it_is(status: StatusLine, clock: FakeClock) -> None:
    status.show_activity(Activity(preparation=PreparationEvent("Compiling the tail", 1, 4)))
    assert status.label.text() == "Preparing: compiling the tail, 1 of 4"
    assert status.progress.maximum() == 0
    clock.seconds = 40
    status.show_activity(Activity(preparation=PreparationEvent("Compiling the head", 2, 4)))
    assert status.label.text() == "Preparing: compiling the head, 2 of 4, about 40 seconds left"
    assert status.progress.value() == status.progress.maximum() / 2
    assert not status.progress.isHidden()


def test_a_long_step_moves_on_the_screen(status: StatusLine, clock: FakeClock, qtbot: QtBot) -> None:
    status.show_activity(Activity(preparation=PreparationEvent("Loading the voice model", 0, 1)))
    clock.seconds = 4
    qtbot.waitUntil(lambda: status.label.text().startswith("Preparing: loading the voice model, 4 seconds"))
    clock.seconds = 5
    qtbot.waitUntil(lambda: "5 seconds" in status.label.text())
    status.show_activity(READY)
    assert status.label.text() == "Ready"
    clock.seconds = 500
    status.show_activity(Activity())
    assert status.label.text() == "Preparing"


def test_long_words_give_way_to_a_narrow_window(status: StatusLine) -> None:
    status.show_message("Saved a.wav in /a/folder/that/is/very/far/down/below/many/others/and/takes/a/while/to/be/read")
    status.resize(400, 30)
    assert status.minimumSizeHint().width() < 400
    assert status.label.text().endswith("…")
    assert "takes/a/while" in status.label.toolTip()


def test_a_narrow_window_shows_the_time_left_instead_of_text_length(status: StatusLine, clock: FakeClock) -> None:
    assert not status.counter.isHidden()
    status.resize(600, 30)
    status.show_activity(Activity(preparation=PreparationEvent("Loading the voice model", 0, 1)))
    clock.seconds = 10
    status._on_tick()
    assert status.counter.isHidden()
    assert status.label.text().startswith("Preparing: loading the voice model, 10 seconds")
    status.resize(1000, 30)
    assert not status.counter.isHidden()


def test_progress_is_hidden_when_nothing_is_running(status: StatusLine) -> None:
    status.show_activity(READY)
    assert status.label.text() == "Ready"
    assert status.progress.isHidden()


def test_generation_shows_its_progress(status: StatusLine) -> None:
    status.show_activity(Activity(Readiness.READY, making=True, utterance_number=3, utterance_count=7, made_count=2))
    assert status.progress.value() == round(status.progress.maximum() * 2 / 7)


def test_news_stay_until_something_begins(status: StatusLine) -> None:
    status.show_activity(READY)
    status.show_message("Saved a.wav")
    status.show_activity(READY)
    assert status.label.text() == "Saved a.wav"
    status.show_activity(Activity(Readiness.READY, making=True))
    assert status.label.text().startswith("Generating")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "0 words · 0 characters"),
        ("I", "1 word · 1 character"),
        ("Hello  there\nyou", "3 words · 16 characters"),
        ("a " * 2000, "2,000 words · 4,000 characters"),
    ],
)
def test_the_length_of_the_text(status: StatusLine, text: str, words: str) -> None:
    status.count(text)
    assert status.counter.text() == words


def test_the_length_of_a_long_text_appears_once_it_stops_changing(status: StatusLine, qtbot: QtBot) -> None:
    long = "word " * LONG_CHARACTERS
    before = status.counter.text()
    status.count(long)
    assert status.counter.text() == before
    status.count(long + "word")
    qtbot.waitUntil(lambda: status.counter.text() == f"{LONG_CHARACTERS + 1:,} words · {len(long) + 4:,} characters")
    status.count(long)
    status.count("I")
    assert status.counter.text() == "1 word · 1 character"


@pytest.mark.parametrize(
    ("activity", "words"),
    [
        (Activity(), "Preparing"),
        (
            Activity(preparation=PreparationEvent("Compiling the decoder", 5, 7)),
            "Preparing: compiling the decoder, 5 of 7",
        ),
        (Activity(Readiness.READY), "Ready"),
        (Activity(Readiness.READY, device=DeviceEvent("metal (new)", "tir (new)", {})), "Ready"),
        (
            Activity(Readiness.READY, device=DeviceEvent("cpu", "tir", {}, "no GPU")),
            "Ready · no GPU",
        ),
        (Activity(Readiness.FAILED), "Not ready"),
        (Activity(Readiness.READY, save=SaveProgress("a.wav")), "Saving"),
        (Activity(Readiness.READY, making=True), "Generating…"),
        (Activity(Readiness.READY, making=True, utterance_count=7, made_count=3), "Generating… 43%"),
        (
            Activity(Readiness.READY, playback=Playback.PLAYING, utterance_number=2, utterance_count=7),
            "Playing",
        ),
        (
            Activity(Readiness.READY, None, True, None, Playback.PLAYING, True, 1, 7),
            "Generating… 0%",
        ),
        (Activity(Readiness.READY, playback=Playback.PAUSED), "Paused"),
        (Activity(Readiness.READY, making=True, previewing=True), "Previewing the voice"),
    ],
)
def test_every_activity_has_words(activity: Activity, words: str) -> None:
    assert describe(activity) == words


def test_news_stays_during_ongoing_work(status: StatusLine) -> None:
    status.show_activity(Activity())
    status.show_message("Saved a.wav")
    (tick,) = (timer for timer in status.findChildren(QTimer) if timer.isActive() and not timer.isSingleShot())
    tick.timeout.emit()
    assert status.label.text() == "Saved a.wav"


def test_the_cpu_fallback_is_shown_beside_the_current_activity(status: StatusLine) -> None:
    status.show_activity(
        Activity(Readiness.READY, making=True, utterance_number=1, utterance_count=2, fallback="It failed.")
    )
    assert status.label.text() == "Generating… 0% · It failed."
    status.show_activity(Activity(Readiness.READY, fallback="It failed."))
    assert status.label.text() == "Ready · It failed."


def test_feature_messages_take_precedence_over_the_text_length(qtbot: QtBot) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    chip = QPushButton("Short")
    chip.hide()
    line.add(chip)
    line.show_activity(READY)
    line.resize(400, 24)
    line.show()
    line.count("words " * 20)
    qtbot.waitExposed(line)
    assert line.counter.isVisible()
    chip.setText("All of the stages agree, as far as is known")
    chip.show()
    qtbot.waitUntil(lambda: not line.counter.isVisible())
    assert chip.width() >= chip.sizeHint().width()
    chip.hide()
    qtbot.waitUntil(line.counter.isVisible)


STEPS = list(DEFAULT_SECONDS)


def after(clock: FakeClock, seconds: float) -> None:
    clock.seconds += seconds


def test_the_usual_steps_are_those_of_the_compiler() -> None:
    assert [f"Compiling {stage.title.lower()}" for stage in DEVICE_STAGES] == STEPS


def test_nothing_is_known_at_first_but_the_time_it_takes(clock: FakeClock) -> None:
    pace = ProgressEstimator(clock)
    pace.note("Packing", 0, 1)
    assert pace.words == ""
    after(clock, 5)
    assert pace.words.startswith("5 seconds ")
    assert (pace.seconds_left, pace.fraction) == (None, None)


def test_steps_of_equal_size_give_the_time_left(clock: FakeClock) -> None:
    pace = ProgressEstimator(clock)
    pace.note("a", 0, 4)
    after(clock, 10)
    pace.note("b", 1, 4)
    assert (pace.seconds_left, pace.fraction) == (30, 0.25)
    after(clock, 5)
    assert (pace.seconds_left, pace.fraction) == (25, 0.375)
    assert pace.words == "about 20 seconds left"


def test_compiling_steps_have_their_usual_proportions(clock: FakeClock) -> None:
    pace = ProgressEstimator(clock)
    pace.note("Starting the compiler", 0, 7)
    after(clock, 6)
    for done, title in enumerate(STEPS[:5]):
        pace.note(title, done, 7)
        after(clock, DEFAULT_SECONDS[title] / 4)
    pace.note(STEPS[5], 5, 7)
    assert pace.seconds_left == pytest.approx((DEFAULT_SECONDS[STEPS[5]] + DEFAULT_SECONDS[STEPS[6]]) / 4)


def test_a_step_longer_than_expected_shows_that_it_continues(clock: FakeClock) -> None:
    pace = ProgressEstimator(clock)
    pace.note("a", 0, 2)
    after(clock, 10)
    pace.note("b", 1, 2)
    after(clock, 11)
    assert pace.fraction is None
    assert pace.words.startswith("21 seconds ")


def test_new_work_restarts_the_estimate(clock: FakeClock) -> None:
    pace = ProgressEstimator(clock)
    pace.note("a", 0, 2)
    after(clock, 10)
    pace.note("b", 1, 2)
    pace.note("Packing", 0, 1)
    assert (pace.seconds_left, pace.words) == (None, "")


def test_an_estimate_by_who_does_the_work_counts_down(clock: FakeClock) -> None:
    pace = ProgressEstimator(clock)
    pace.note("fetching", 0, 0, 40.0)
    after(clock, 15)
    assert pace.seconds_left == 25
    after(clock, 100)
    assert pace.words.startswith("1:55 minutes ")
    pace.note("fetching", 0, 0)
    assert pace.words.startswith("1:55 minutes ")


@given(st.lists(st.tuples(st.sampled_from(["a", "b", *STEPS]), st.integers(0, 7), st.floats(0, 100)), max_size=20))
@example([("a", 0, 5e-324), ("Compiling durations", 1, 0.0)])
def test_estimates_make_sense_for_any_reported_steps(steps: list[tuple[str, int, float]]) -> None:
    clock = FakeClock()
    pace = ProgressEstimator(clock)
    for title, done, seconds in steps:
        pace.note(title, done, 7)
        after(clock, seconds)
        fraction, left = pace.fraction, pace.seconds_left
        assert fraction is None or 0 <= fraction <= 2
        assert left is None or left >= -1e-9
        assert isinstance(pace.words, str)
