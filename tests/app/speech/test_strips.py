from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.speech.activity import Activity, Readiness, SaveProgress
from app.speech.strips import Answer, ModelBar, ModelNotice, SaveBar

OFFER = ModelNotice("It can be downloaded.", "m", (Answer.NOT_NOW, Answer.FETCH))


@pytest.fixture
def strip(qtbot: QtBot) -> ModelBar:
    strip = ModelBar()
    qtbot.addWidget(strip)
    return strip


def test_it_is_hidden_until_there_is_something_to_say(strip: ModelBar) -> None:
    assert strip.isHidden()
    strip.show_notice(OFFER)
    assert not strip.isHidden()
    assert strip.label.text() == "It can be downloaded."
    assert strip.bar.isHidden()
    strip.show_notice(None)
    assert strip.isHidden()


def test_answers_are_reported_with_their_notice(strip: ModelBar, qtbot: QtBot) -> None:
    strip.show_notice(OFFER)
    assert [button.text() for button in strip.buttons] == [Answer.NOT_NOW.value, Answer.FETCH.value]
    assert strip.close_button.isHidden()
    with qtbot.waitSignal(strip.answered) as answered:
        strip.button(Answer.FETCH).click()
    assert answered.args == [OFFER, Answer.FETCH]


def test_it_can_be_dismissed_where_the_notice_says_so(strip: ModelBar, qtbot: QtBot) -> None:
    strip.show_notice(ModelNotice("It failed.", "m", (Answer.TRY_AGAIN, Answer.CLOSE)))
    assert [button.text() for button in strip.buttons if not button.isHidden()] == ["Try Again"]
    with qtbot.waitSignal(strip.answered) as answered:
        strip.close_button.click()
    assert answered.args[1] is Answer.CLOSE


def test_work_shows_its_progress_or_that_it_continues(strip: ModelBar) -> None:
    strip.show_notice(ModelNotice("Downloading it", "m", (Answer.CANCEL,), going_on=True, fraction=0.25))
    assert not strip.bar.isHidden()
    assert strip.bar.value() == strip.bar.maximum() / 4
    strip.show_notice(ModelNotice("Compiling it", "m", (Answer.CANCEL,), going_on=True))
    assert strip.bar.maximum() == 0


def test_it_names_the_file_and_shows_how_much_of_it_is_done(qtbot: QtBot) -> None:
    strip = SaveBar()
    qtbot.addWidget(strip)
    strip.show_activity(Activity(Readiness.READY, save=SaveProgress("story.wav")))
    assert not strip.isHidden()
    assert "story.wav" in strip.label.text()
    assert strip.bar.maximum() == 0  # no results yet
    strip.show_activity(Activity(Readiness.READY, save=SaveProgress("story.wav", fraction=0.3)))
    assert strip.bar.value() == 0.3 * strip.bar.maximum()
    strip.show_activity(Activity(Readiness.READY))
    assert strip.isHidden()


def test_cancel_is_a_button(qtbot: QtBot) -> None:
    strip = SaveBar()
    qtbot.addWidget(strip)
    with qtbot.waitSignal(strip.cancel_requested):
        strip.cancel_button.click()


def test_an_export_shows_its_step_time_left_and_queue(qtbot: QtBot) -> None:
    strip = SaveBar()
    qtbot.addWidget(strip)
    step = "Speaking chapter 3 of 40, “Rain”"
    strip.show_activity(Activity(Readiness.READY, save=SaveProgress("book.m4b", step, 0.25, 200.0, 2)))
    assert strip.label.text() == f"Saving book.m4b · {step} · about 3 minutes left · 2 more in queue"
    assert strip.bar.value() == 0.25 * strip.bar.maximum()
    assert strip.accessibleDescription() == strip.toolTip() == strip.label.text()


def test_an_interrupted_book_is_shown_with_its_progress(qtbot: QtBot) -> None:
    strip = SaveBar()
    qtbot.addWidget(strip)
    book = SaveProgress("book.m4b", "Speaking", 0.34)
    strip.show_activity(Activity(Readiness.READY, save=SaveProgress("a.wav", "Writing", 0.5, None, 1, book)))
    assert all(part in strip.label.text() for part in ("a.wav", "book.m4b", "34%"))
    assert "waiting" not in strip.label.text()
    assert strip.bar.value() == 0.5 * strip.bar.maximum()


def test_saved_files_are_reported_once_nothing_is_being_saved(qtbot: QtBot) -> None:
    strip = SaveBar()
    qtbot.addWidget(strip)
    strip.show_activity(Activity(Readiness.READY, save=SaveProgress("a.wav", waiting_count=1)))
    strip.show_saved(Path("/music/a.wav"))
    strip.show_activity(Activity(Readiness.READY, save=SaveProgress("b.wav")))
    assert strip.label.text() == "Saving b.wav"
    assert strip.reveal_button.isHidden()
    strip.show_saved(Path("/music/b.wav"))
    strip.show_activity(Activity(Readiness.READY))
    assert strip.label.text() == "Saved b.wav and 1 more in music"
    assert (strip.toolTip(), strip.cancel_button.isHidden()) == ("/music/b.wav", True)
    with qtbot.waitSignal(strip.reveal_requested) as wanted:
        strip.reveal_button.click()
    assert wanted.args == [Path("/music/b.wav")]
    strip.show_activity(Activity(Readiness.READY, save=SaveProgress("c.wav")))
    strip.show_activity(Activity(Readiness.READY))  # canceled
    assert strip.isHidden()


def test_an_interrupted_export_is_offered_while_no_other_message_is_shown(qtbot: QtBot) -> None:
    strip = SaveBar()
    qtbot.addWidget(strip)
    strip.offer_resume("Book.m4b")
    assert "“Book.m4b” was interrupted" in strip.label.text()
    with qtbot.waitSignals([strip.resume_requested, strip.discard_requested]):
        strip.resume_button.click()
        strip.discard_button.click()
    strip.show_saved(Path("/music/a.wav"))
    assert strip.resume_button.isHidden()
    strip.close_button.click()
    assert not strip.resume_button.isHidden()
    strip.offer_resume("")
    assert strip.isHidden()
