import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.speech.voice_choice import Choice
from app.speech.voice_list import CHOICE_ROLE, CHOSEN_ROLE
from app.speech.voice_picker import VoicePicker
from app.theme import Appearance, Theme, colours
from tests.app.fakes import ONE_MODEL, TWO_MODELS, VOICES

SALLY = Choice("af_sally", "starter")
GEORGE = Choice("bm_george", "kokoro-82m")


@pytest.fixture
def picker(qtbot: QtBot) -> VoicePicker:
    picker = VoicePicker()
    qtbot.addWidget(picker)
    return picker


def show(picker: VoicePicker, usual: str = "starter") -> None:
    picker.show_models(TWO_MODELS, usual)


def test_until_the_voices_are_known_nothing_can_be_chosen(picker: VoicePicker) -> None:
    assert not picker.isEnabled()
    assert not picker.known
    assert picker.voice is None


@pytest.mark.parametrize(("usual", "voice"), [("starter", "af_sally"), ("kokoro-82m", "af_heart")])
def test_without_a_wish_it_is_the_first_voice_of_the_usual_model(picker: VoicePicker, usual: str, voice: str) -> None:
    show(picker, usual)
    assert (picker.voice, picker.speaking_model) == (voice, usual)
    assert picker.untouched


def test_a_wanted_voice_is_chosen_once_it_is_known_and_brings_its_model(picker: VoicePicker, qtbot: QtBot) -> None:
    picker.choose(Choice("bm_george", "starter"))
    assert picker.voice is None
    with qtbot.waitSignal(picker.model_changed) as changed:
        show(picker)
    assert changed.args == ["kokoro-82m"]
    assert picker.currentText() == "George · male"
    assert "bm_george of Kokoro-82M" in picker.toolTip()
    assert not picker.untouched


@pytest.mark.parametrize("name", ["am_adam", "nobody", "heart"])
def test_a_voice_that_is_asked_for_is_never_replaced(picker: VoicePicker, name: str) -> None:
    picker.ask_for(Choice(name))
    show(picker)
    assert picker.voice == name
    picker.activated.emit(picker.findText("George · male"))
    assert picker.choice == GEORGE
    assert picker.currentText() == "George · male"


def test_a_model_that_is_asked_for_and_missing_leaves_no_voice(picker: VoicePicker) -> None:
    picker.ask_for(Choice(model="kokoro-82m-8bit"))
    show(picker)
    assert (picker.voice, picker.speaking_model, picker.known) == (None, "kokoro-82m-8bit", True)
    assert picker.currentIndex() == -1


def test_a_voice_that_is_not_there_gives_way_and_does_not_come_back_by_itself(picker: VoicePicker) -> None:
    picker.choose(GEORGE)
    picker.show_models(TWO_MODELS[1:], "starter")
    assert picker.choice == SALLY
    show(picker)
    assert picker.choice == SALLY


def test_the_choice_survives_a_new_list(picker: VoicePicker) -> None:
    picker.show_models(TWO_MODELS[1:], "starter")
    show(picker)
    assert picker.choice == SALLY
    picker.show_models(TWO_MODELS[::-1], "kokoro-82m")
    assert picker.choice == SALLY


def test_a_model_takes_over_only_if_nothing_was_chosen(picker: VoicePicker, qtbot: QtBot) -> None:
    show(picker)
    with qtbot.assertNotEmitted(picker.voice_chosen):
        picker.take_over("kokoro-82m")
    assert picker.choice == Choice("af_heart", "kokoro-82m")
    picker.take(SALLY)
    picker.take_over("kokoro-82m")
    assert picker.choice == SALLY


def test_a_model_is_chosen_with_the_same_voice_if_it_has_it(picker: VoicePicker, qtbot: QtBot) -> None:
    show(picker)
    picker.choose(Choice("am_adam", "starter"))
    with qtbot.waitSignal(picker.voice_chosen) as chosen:
        picker.choose_model("kokoro-82m")
    assert chosen.args == [Choice("am_adam", "kokoro-82m")]
    picker.choose(SALLY)
    picker.choose_model("kokoro-82m")
    assert picker.choice == Choice("af_heart", "kokoro-82m")


def test_keys_skip_headings_and_tell_what_was_chosen(picker: VoicePicker, qtbot: QtBot) -> None:
    show(picker)
    picker.choose(GEORGE)
    with qtbot.waitSignals([picker.voice_chosen, picker.model_changed]):
        qtbot.keyClick(picker, Qt.Key.Key_Down)
    assert picker.choice == SALLY


def test_the_chosen_voice_can_be_heard(picker: VoicePicker, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(picker.preview_wanted):
        picker.preview()
    picker.show_models(ONE_MODEL, "starter")
    picker.choose(Choice("bm_george", "starter"))
    (action,) = picker.actions()
    with qtbot.waitSignal(picker.preview_wanted) as wanted:
        action.trigger()
    assert wanted.args == [VOICES[1]]


def test_a_voice_that_is_not_listed_can_be_heard_too(picker: VoicePicker, qtbot: QtBot) -> None:
    show(picker)
    picker.ask_for(Choice("bf_emma(2)+bm_george(1)"))
    with qtbot.waitSignal(picker.preview_wanted) as wanted:
        picker.preview()
    (voice,) = wanted.args or ()
    assert (voice.name, voice.language) == ("bf_emma(2)+bm_george(1)", "en-GB")


def test_a_click_on_a_play_mark_is_heard_and_the_list_stays_open(picker: VoicePicker, qtbot: QtBot) -> None:
    show(picker)
    picker.show()
    picker.showPopup()
    qtbot.waitExposed(picker.view())
    row = next(number for number in range(picker.count()) if picker.itemText(number) == "George · male")
    place = picker.view().visualRect(picker.model().index(row, 0))
    with qtbot.waitSignal(picker.hear_wanted) as heard, qtbot.assertNotEmitted(picker.voice_chosen):
        mark = QPoint(place.right() - 8, place.center().y())
        qtbot.mouseClick(picker.view().viewport(), Qt.MouseButton.LeftButton, pos=mark)
    assert heard.args == [GEORGE]
    assert picker.view().isVisible()
    picker.hidePopup()


def test_the_chosen_voice_is_marked_in_the_list(picker: VoicePicker) -> None:
    show(picker)
    for choice in (SALLY, GEORGE):
        picker.take(choice)
        marked = [
            picker.itemData(row, CHOICE_ROLE) for row in range(picker.count()) if picker.itemData(row, CHOSEN_ROLE)
        ]
        assert marked == [choice]


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_the_play_mark_stands_out_from_the_voice_that_is_selected(
    picker: VoicePicker, qtbot: QtBot, theme: Theme, appearance: Appearance
) -> None:
    theme.choose(appearance)
    show(picker)
    picker.show()
    picker.showPopup()
    qtbot.waitExposed(picker.view())
    row = picker.view().visualRect(picker.view().currentIndex())
    picture = picker.view().viewport().grab(QRect(row.right() - 20, row.top(), 20, row.height())).toImage()
    lightness = [picture.pixelColor(x, y).lightness() for x in range(picture.width()) for y in range(picture.height())]
    picker.hidePopup()
    assert max(lightness) == QColor(colours().on_accent).lightness()
    assert min(lightness) <= QColor(colours().accent).lightness()


def test_favourites_come_first_and_the_choice_stays(picker: VoicePicker) -> None:
    show(picker)
    picker.take(SALLY)
    picker.show_favourites([GEORGE, Choice("nobody", "starter")])
    assert [picker.itemText(number) for number in range(3)] == ["Favorites", "George · male", "Kokoro-82M"]
    assert picker.choice == SALLY
    assert picker.currentText() == "Sally · female"
