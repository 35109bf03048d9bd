import pytest
from pytestqt.qtbot import QtBot

from app.speech.model_strip import Answer, ModelNotice, ModelStrip

OFFER = ModelNotice("It can be downloaded.", "m", (Answer.NOT_NOW, Answer.FETCH))


@pytest.fixture
def strip(qtbot: QtBot) -> ModelStrip:
    strip = ModelStrip()
    qtbot.addWidget(strip)
    return strip


def test_it_is_hidden_until_there_is_something_to_say(strip: ModelStrip) -> None:
    assert strip.isHidden()
    strip.show_notice(OFFER)
    assert not strip.isHidden()
    assert strip.label.text() == "It can be downloaded."
    assert strip.bar.isHidden()
    strip.show_notice(None)
    assert strip.isHidden()


def test_answers_are_told_with_the_notice(strip: ModelStrip, qtbot: QtBot) -> None:
    strip.show_notice(OFFER)
    assert [button.text() for button in strip.buttons] == [Answer.NOT_NOW.value, Answer.FETCH.value]
    assert strip.close_button.isHidden()
    with qtbot.waitSignal(strip.answered) as answered:
        strip.button(Answer.FETCH).click()
    assert answered.args == [OFFER, Answer.FETCH]


def test_it_can_be_dismissed_where_the_notice_says_so(strip: ModelStrip, qtbot: QtBot) -> None:
    strip.show_notice(ModelNotice("It failed.", "m", (Answer.TRY_AGAIN, Answer.CLOSE)))
    assert [button.text() for button in strip.buttons if not button.isHidden()] == ["Try Again"]
    with qtbot.waitSignal(strip.answered) as answered:
        strip.close_button.click()
    assert answered.args is not None
    assert answered.args[1] is Answer.CLOSE


def test_work_shows_how_far_it_is_or_that_it_goes_on(strip: ModelStrip) -> None:
    strip.show_notice(ModelNotice("Downloading it", "m", (Answer.CANCEL,), going_on=True, fraction=0.25))
    assert not strip.bar.isHidden()
    assert strip.bar.value() == strip.bar.maximum() / 4
    strip.show_notice(ModelNotice("Compiling it", "m", (Answer.CANCEL,), going_on=True))
    assert strip.bar.maximum() == 0
