import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.speech.voice_picker import VoicePicker
from tests.app.fakes import VOICES


@pytest.fixture
def picker(qtbot: QtBot) -> VoicePicker:
    picker = VoicePicker()
    qtbot.addWidget(picker)
    return picker


def test_until_the_voices_are_known_nothing_can_be_chosen(picker: VoicePicker) -> None:
    assert not picker.isEnabled()
    assert picker.voice is None


def test_the_first_voice_is_chosen_unless_another_is_wanted(picker: VoicePicker) -> None:
    picker.show_voices(VOICES)
    assert picker.voice == "af_heart"
    picker.choose("bm_george")
    assert picker.voice == "bm_george"


def test_a_wanted_voice_is_chosen_once_it_is_known(picker: VoicePicker) -> None:
    picker.choose("am_adam")
    assert picker.voice is None
    picker.show_voices(VOICES)
    assert picker.voice == "am_adam"
    assert picker.currentText() == "Adam · male"


@pytest.mark.parametrize("name", ["am_adam", "nobody"])
def test_a_voice_that_is_asked_for_is_never_replaced(picker: VoicePicker, qtbot: QtBot, name: str) -> None:
    picker.ask_for(name)
    assert picker.voice == name
    picker.show_voices(VOICES)
    assert picker.voice == name
    picker.activated.emit(picker.findText("George · male"))
    picker.setCurrentIndex(picker.findText("George · male"))
    assert picker.voice == "bm_george"


def test_a_voice_that_is_not_there_gives_way_to_the_first(picker: VoicePicker) -> None:
    picker.choose("nobody")
    picker.show_voices(VOICES)
    assert picker.voice == "af_heart"


def test_the_choice_survives_a_new_list(picker: VoicePicker) -> None:
    picker.show_voices(VOICES)
    picker.choose("am_adam")
    picker.show_voices(VOICES[::-1])
    assert picker.voice == "am_adam"


def test_keys_skip_headings_and_tell_what_was_chosen(picker: VoicePicker, qtbot: QtBot) -> None:
    picker.show_voices(VOICES)
    picker.choose("am_adam")
    with qtbot.waitSignal(picker.voice_chosen) as chosen:
        qtbot.keyClick(picker, Qt.Key.Key_Down)
    assert chosen.args == ["bm_george"]


def test_the_chosen_voice_can_be_heard(picker: VoicePicker, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(picker.preview_wanted):
        picker.preview()
    picker.show_voices(VOICES)
    picker.choose("bm_george")
    (action,) = picker.actions()
    with qtbot.waitSignal(picker.preview_wanted) as wanted:
        action.trigger()
    assert wanted.args == [VOICES[1]]


def test_a_voice_that_is_not_listed_can_be_heard_too(picker: VoicePicker, qtbot: QtBot) -> None:
    picker.show_voices(VOICES)
    picker.ask_for("bf_emma(2)+bm_george(1)")
    with qtbot.waitSignal(picker.preview_wanted) as wanted:
        picker.preview()
    (voice,) = wanted.args or ()
    assert (voice.name, voice.language) == ("bf_emma(2)+bm_george(1)", "en-GB")
