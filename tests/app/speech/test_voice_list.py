from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.speech.voice_choice import Choice
from app.speech.voice_list import (
    CHOICE_ROLE,
    CHOSEN_ROLE,
    DEPTH_ROLE,
    HEADING_ROLE,
    MODEL_HEADING_ROLE,
    VoiceListModel,
    language_title,
)
from engine.models.installed_voices import ModelVoices
from engine.models.voices.packs import describe, official_voices
from engine.speech import VoiceInfo
from tests.app.fakes import ONE_MODEL, TWO_MODELS


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
    assert adams == [Choice("am_adam", "kokoro-82m"), Choice("am_adam", "starter")]


def test_rows_are_found_by_voice_and_model(model: VoiceListModel) -> None:
    model.show(TWO_MODELS)
    assert model.row_of(Choice("am_adam", "kokoro-82m")) == 3
    assert model.row_of(Choice("am_adam", "starter")) == 9
    assert model.row_of(Choice("af_sally", "kokoro-82m")) == model.row_of(Choice()) == -1


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
    model.mark(Choice("bm_george", "starter"))
    with qtbot.waitSignals([model.dataChanged, model.dataChanged]):
        model.mark(Choice("am_adam", "starter"))
    assert rows(model, CHOSEN_ROLE) == [False, False, True, False, False]
    model.show(ONE_MODEL, [Choice("am_adam", "starter")])
    assert rows(model, CHOSEN_ROLE) == [False, True, False, False, False, False]
    model.mark(Choice("nobody", "starter"))
    assert not any(rows(model, CHOSEN_ROLE))


def test_it_is_a_proper_model(model: VoiceListModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(model, force_py=True)


@pytest.mark.parametrize(
    ("tag", "title"),
    [("en-US", "American English"), ("pt-BR", "Brazilian Portuguese"), ("xx-klingon", "xx-klingon")],
)
def test_languages_have_their_own_names(tag: str, title: str) -> None:
    assert language_title(tag) == title
