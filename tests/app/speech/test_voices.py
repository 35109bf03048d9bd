from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.speech.voice_choice import VoiceChoice, insisted, listed, prosody_of, voice_info
from app.speech.voice_list import (
    CHOICE_ROLE,
    CHOSEN_ROLE,
    DEPTH_ROLE,
    HEADING_ROLE,
    MODEL_HEADING_ROLE,
    VoiceListModel,
    language_title,
)
from app.speech.voice_picker import VoicePicker
from app.theme import Appearance, Theme, colors
from engine.models.installed_voices import ModelVoices
from engine.models.voices.packs import describe, official_voices
from engine.speech import Prosody, VoiceInfo
from tests.app.fakes import ONE_MODEL, TWO_MODELS, VOICES

NAMES = st.sampled_from(["af_heart", "am_adam", "bf_emma"])
MODELS = st.sampled_from(["kokoro-82m", "kokoro-82m-8bit", "starter"])
NOTHING = st.none()


def voices_of(names: list[str]) -> tuple[VoiceInfo, ...]:
    return tuple(VoiceInfo(name, name, "en-US", "") for name in names)


LISTS = st.lists(
    st.builds(lambda model, names: ModelVoices(model, model, voices_of(names)), MODELS, st.lists(NAMES, unique=True)),
    unique_by=lambda each: each.model,
)


@given(LISTS, MODELS, st.sampled_from(Prosody), st.sets(MODELS))
def test_students_speak_only_if_wished_for_and_there(
    models: list[ModelVoices], model: str, preference: Prosody, taught: set[str]
) -> None:
    there = [replace(each, students_unavailable_reason="" if each.model in taught else "none") for each in models]
    has_students = model in taught and model in {each.model for each in models}
    assert prosody_of(model, there, preference) is (preference if has_students else Prosody.LSTM)


@given(st.builds(VoiceChoice, NAMES | NOTHING, MODELS | NOTHING), LISTS, MODELS)
def test_listed_returns_a_listed_choice_nearest_to_the_wanted_one(
    choice: VoiceChoice, models: list[ModelVoices], default: str
) -> None:
    found = listed(choice, models, default)
    all_found = [VoiceChoice(voice.name, each.model) for each in models for voice in each.voices]
    if not all_found:
        assert found == VoiceChoice()
        return
    assert found in all_found
    if choice in all_found:
        assert found == choice
    elif choice.voice in [each.voice for each in all_found]:
        assert found.voice == choice.voice
    elif choice.model in [each.model for each in all_found]:
        assert found.model == choice.model


def test_a_voice_brings_the_model_it_belongs_to() -> None:
    assert listed(VoiceChoice("bm_george", "starter"), TWO_MODELS, "starter") == VoiceChoice("bm_george", "kokoro-82m")
    assert listed(VoiceChoice("am_adam", "starter"), TWO_MODELS, "starter") == VoiceChoice("am_adam", "starter")
    assert listed(VoiceChoice("am_adam"), TWO_MODELS, "starter") == VoiceChoice("am_adam", "starter")
    assert listed(VoiceChoice("nobody"), TWO_MODELS, "starter") == VoiceChoice("af_sally", "starter")


def test_an_explicitly_requested_voice_is_never_replaced() -> None:
    default = VoiceChoice("af_sally", "starter")
    assert insisted(VoiceChoice("heart"), TWO_MODELS, default) == VoiceChoice("heart", "kokoro-82m")
    assert insisted(VoiceChoice("adam"), TWO_MODELS, default) == VoiceChoice("adam", "starter")
    assert insisted(VoiceChoice("af_heart+bm_george"), TWO_MODELS, default) == VoiceChoice(
        "af_heart+bm_george", "kokoro-82m"
    )
    assert insisted(VoiceChoice("nobody"), TWO_MODELS, default) == VoiceChoice("nobody", "starter")
    assert insisted(VoiceChoice("af_heart", "starter"), TWO_MODELS, default) == VoiceChoice("af_heart", "starter")
    assert insisted(VoiceChoice(model="other"), TWO_MODELS, default) == VoiceChoice(None, "other")


def test_a_model_that_is_insisted_on_keeps_the_voice_if_it_can() -> None:
    assert insisted(VoiceChoice(model="kokoro-82m"), TWO_MODELS, VoiceChoice("am_adam", "starter")).voice == "am_adam"
    assert insisted(VoiceChoice(model="kokoro-82m"), TWO_MODELS, VoiceChoice("af_sally", "starter")).voice == "af_heart"


def test_the_entry_of_a_choice_is_that_of_its_model() -> None:
    assert voice_info(VoiceChoice("af_sally", "starter"), TWO_MODELS) == TWO_MODELS[1].voices[0]
    assert voice_info(VoiceChoice("af_sally", "kokoro-82m"), TWO_MODELS) is None


@pytest.fixture
def model() -> VoiceListModel:
    model = VoiceListModel()
    model.show(ONE_MODEL)
    return model


def rows(model: VoiceListModel, role: int) -> list[Any]:
    return [model.index(row).data(role) for row in range(model.rowCount())]


def titles_of(model: VoiceListModel) -> list[str]:
    return rows(model, int(Qt.ItemDataRole.DisplayRole))


def test_voices_stand_under_their_languages(model: VoiceListModel) -> None:
    assert rows(model, int(Qt.ItemDataRole.DisplayRole)) == [
        "American English", "Heart · female", "Adam · male", "British English", "George · male",
    ]  # fmt: skip
    choices = [choice and choice.voice for choice in rows(model, CHOICE_ROLE)]
    assert choices == [None, "af_heart", "am_adam", None, "bm_george"]
    assert rows(model, HEADING_ROLE) == [True, False, False, True, False]


def test_headings_cannot_be_chosen(model: VoiceListModel) -> None:
    selectable = [bool(model.index(row).flags() & Qt.ItemFlag.ItemIsSelectable) for row in range(5)]
    assert selectable == [False, True, True, False, True]


def test_several_models_have_headings_and_voices_of_the_same_name_are_distinct(model: VoiceListModel) -> None:
    model.show(TWO_MODELS)
    titles = [depth * "-" + title for depth, title in zip(rows(model, DEPTH_ROLE), titles_of(model), strict=True)]
    assert titles == [
        "Kokoro-82M", "-American English", "--Heart · female", "--Adam · male", "-British English", "--George · male",
        "Starter voices", "-American English", "--Sally · female", "--Adam · male",
    ]  # fmt: skip
    assert rows(model, MODEL_HEADING_ROLE).count(True) == 2
    adams = [choice for choice in rows(model, CHOICE_ROLE) if choice and choice.voice == "am_adam"]
    assert adams == [VoiceChoice("am_adam", "kokoro-82m"), VoiceChoice("am_adam", "starter")]


def test_rows_are_found_by_voice_and_model(model: VoiceListModel) -> None:
    model.show(TWO_MODELS)
    assert model.row_of(VoiceChoice("am_adam", "kokoro-82m")) == 3
    assert model.row_of(VoiceChoice("am_adam", "starter")) == 9
    assert model.row_of(VoiceChoice("af_sally", "kokoro-82m")) == model.row_of(VoiceChoice()) == -1


def test_a_tooltip_tells_model_grade_and_recipe(model: VoiceListModel) -> None:
    voices = (
        VoiceInfo("af_heart", "Heart", "en-US", "female", "A"),
        VoiceInfo("duet", "duet", "en-US", "", recipe="af_heart(2)+am_adam(1)"),
        VoiceInfo("em_alex", "Alex", "es", "male"),
    )
    model.show([ModelVoices("m", "Some model", voices)])
    assert rows(model, int(Qt.ItemDataRole.ToolTipRole)) == [
        None, "af_heart of Some model: quality grade A (from the Kokoro team)",
        "duet of Some model: a blend of af_heart(2)+am_adam(1)", None, "em_alex of Some model",
    ]  # fmt: skip
    assert titles_of(model)[2] == "duet · blend"


def test_all_official_voices_are_listed_by_language(model: VoiceListModel) -> None:
    model.show([ModelVoices("m", "Some model", official_voices())])
    assert model.rowCount() == 54 + 9
    assert rows(model, HEADING_ROLE).count(True) == 9


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("geo", "bm_george"), ("BM_G", "bm_george"), ("male british", "bm_george"), ("french", "ff_siwis"),
        ("fr-fr", "ff_siwis"), ("ete", "Été doux"), ("DOUX été", "Été doux"), ("blend", "Été doux 夜の声"),
        ("声", "夜の声"), ("hindi male", "hm_omega"), ("male", "bm_george hm_omega"), ("(", ""), ("nobody", ""),
        ("some", "bm_george ff_siwis Été doux 夜の声 hm_omega"), (" ", "bm_george ff_siwis Été doux 夜の声 hm_omega"),
    ],
)  # fmt: skip
def test_a_search_is_for_name_language_gender_and_model(model: VoiceListModel, words: str, found: str) -> None:
    blend = VoiceInfo("Été doux", "Été doux", "en-US", "female", recipe="af_heart(1)+af_bella(1)")
    night = VoiceInfo("夜の声", "夜の声", "ja", "", recipe="jf_alpha(1)+jm_kumo(1)")
    voices = (describe("bm_george"), describe("ff_siwis"), blend, night, describe("hm_omega"))
    model.show([ModelVoices("m", "Some model", voices)], (), words)
    assert " ".join(choice.voice or "" for choice in model.choices) == found


def test_the_chosen_voice_is_marked_where_it_is_listed(model: VoiceListModel, qtbot: QtBot) -> None:
    model.mark(VoiceChoice("bm_george", "starter"))
    with qtbot.waitSignals([model.dataChanged, model.dataChanged]):
        model.mark(VoiceChoice("am_adam", "starter"))
    assert rows(model, CHOSEN_ROLE) == [False, False, True, False, False]
    model.show(ONE_MODEL, [VoiceChoice("am_adam", "starter")])
    assert rows(model, CHOSEN_ROLE) == [False, True, False, False, False, False]
    model.mark(VoiceChoice("nobody", "starter"))
    assert not any(rows(model, CHOSEN_ROLE))


def test_it_is_a_proper_model(model: VoiceListModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(model, force_py=True)


@pytest.mark.parametrize(
    ("tag", "title"),
    [("en-US", "American English"), ("pt-BR", "Brazilian Portuguese"), ("xx-klingon", "xx-klingon")],
)
def test_languages_have_their_own_names(tag: str, title: str) -> None:
    assert language_title(tag) == title


SALLY = VoiceChoice("af_sally", "starter")
GEORGE = VoiceChoice("bm_george", "kokoro-82m")


@pytest.fixture
def picker(qtbot: QtBot) -> VoicePicker:
    picker = VoicePicker()
    qtbot.addWidget(picker)
    return picker


def show(picker: VoicePicker, default: str = "starter") -> None:
    picker.show_models(TWO_MODELS, default)


def test_until_the_voices_are_known_nothing_can_be_chosen(picker: VoicePicker) -> None:
    assert not picker.isEnabled()
    assert not picker.known
    assert picker.voice is None


@pytest.mark.parametrize(("default", "voice"), [("starter", "af_sally"), ("kokoro-82m", "af_heart")])
def test_without_a_wish_it_is_the_first_voice_of_the_usual_model(picker: VoicePicker, default: str, voice: str) -> None:
    show(picker, default)
    assert (picker.voice, picker.speaking_model) == (voice, default)
    assert picker.untouched


def test_a_wanted_voice_is_chosen_once_known_and_brings_its_model(picker: VoicePicker, qtbot: QtBot) -> None:
    picker.choose(VoiceChoice("bm_george", "starter"))
    assert picker.voice is None
    with qtbot.waitSignal(picker.model_changed) as changed:
        show(picker)
    assert changed.args == ["kokoro-82m"]
    assert picker.currentText() == "George · male"
    assert "bm_george of Kokoro-82M" in picker.toolTip()
    assert not picker.untouched


@pytest.mark.parametrize("name", ["am_adam", "nobody", "heart"])
def test_a_voice_that_is_asked_for_is_never_replaced(picker: VoicePicker, name: str) -> None:
    picker.ask_for(VoiceChoice(name))
    show(picker)
    assert picker.voice == name
    picker.activated.emit(picker.findText("George · male"))
    assert picker.choice == GEORGE
    assert picker.currentText() == "George · male"


def test_a_model_that_is_asked_for_and_missing_leaves_no_voice(picker: VoicePicker) -> None:
    picker.ask_for(VoiceChoice(model="kokoro-82m-8bit"))
    show(picker)
    assert (picker.voice, picker.speaking_model, picker.known) == (None, "kokoro-82m-8bit", True)
    assert picker.currentIndex() == -1


def test_a_missing_voice_is_replaced_and_does_not_return_by_itself(picker: VoicePicker) -> None:
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
    assert picker.choice == VoiceChoice("af_heart", "kokoro-82m")
    picker.choose_voice(SALLY)
    picker.take_over("kokoro-82m")
    assert picker.choice == SALLY


def test_a_model_is_chosen_with_the_same_voice_if_it_has_it(picker: VoicePicker, qtbot: QtBot) -> None:
    show(picker)
    picker.choose(VoiceChoice("am_adam", "starter"))
    with qtbot.waitSignal(picker.voice_chosen) as chosen:
        picker.choose_model("kokoro-82m")
    assert chosen.args == [VoiceChoice("am_adam", "kokoro-82m")]
    picker.choose(SALLY)
    picker.choose_model("kokoro-82m")
    assert picker.choice == VoiceChoice("af_heart", "kokoro-82m")


def test_keys_skip_headings_and_report_the_choice(picker: VoicePicker, qtbot: QtBot) -> None:
    show(picker)
    picker.choose(GEORGE)
    with qtbot.waitSignals([picker.voice_chosen, picker.model_changed]):
        qtbot.keyClick(picker, Qt.Key.Key_Down)
    assert picker.choice == SALLY


def test_the_chosen_voice_can_be_previewed(picker: VoicePicker, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(picker.preview_requested):
        picker.preview()
    picker.show_models(ONE_MODEL, "starter")
    picker.choose(VoiceChoice("bm_george", "starter"))
    (action,) = picker.actions()
    with qtbot.waitSignal(picker.preview_requested) as wanted:
        action.trigger()
    assert wanted.args == [VOICES[1]]


def test_an_unlisted_voice_can_be_previewed_too(picker: VoicePicker, qtbot: QtBot) -> None:
    show(picker)
    picker.ask_for(VoiceChoice("bf_emma(2)+bm_george(1)"))
    with qtbot.waitSignal(picker.preview_requested) as wanted:
        picker.preview()
    (voice,) = wanted.args or ()
    assert (voice.name, voice.language) == ("bf_emma(2)+bm_george(1)", "en-GB")


def test_clicking_a_play_mark_previews_and_leaves_the_list_open(picker: VoicePicker, qtbot: QtBot) -> None:
    show(picker)
    picker.show()
    picker.showPopup()
    qtbot.waitExposed(picker.view())
    row = next(number for number in range(picker.count()) if picker.itemText(number) == "George · male")
    place = picker.view().visualRect(picker.model().index(row, 0))
    with qtbot.waitSignal(picker.hear_requested) as heard, qtbot.assertNotEmitted(picker.voice_chosen):
        mark = QPoint(place.right() - 8, place.center().y())
        qtbot.mouseClick(picker.view().viewport(), Qt.MouseButton.LeftButton, pos=mark)
    assert heard.args == [GEORGE]
    assert picker.view().isVisible()
    picker.hidePopup()


def test_the_chosen_voice_is_marked_in_the_list(picker: VoicePicker) -> None:
    show(picker)
    for choice in (SALLY, GEORGE):
        picker.choose_voice(choice)
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
    assert max(lightness) == QColor(colors().on_accent).lightness()
    assert min(lightness) <= QColor(colors().accent).lightness()


def test_favorites_come_first_and_the_choice_stays(picker: VoicePicker) -> None:
    show(picker)
    picker.choose_voice(SALLY)
    picker.show_favorites([GEORGE, VoiceChoice("nobody", "starter")])
    assert [picker.itemText(number) for number in range(3)] == ["Favorites", "George · male", "Kokoro-82M"]
    assert picker.choice == SALLY
    assert picker.currentText() == "Sally · female"
