from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from app.speech.voice_list import HEADING_ROLE, NAME_ROLE, VOICE_ROLE, VoiceListModel, language_title
from engine.speech import VoiceInfo
from engine.voices.packs import official_voices
from tests.app.fakes import VOICES


@pytest.fixture
def model() -> VoiceListModel:
    model = VoiceListModel()
    model.show(VOICES)
    return model


def rows(model: VoiceListModel, role: int) -> list[Any]:
    return [model.index(row).data(role) for row in range(model.rowCount())]


def test_voices_stand_under_their_languages(model: VoiceListModel) -> None:
    assert rows(model, int(Qt.ItemDataRole.DisplayRole)) == [
        "American English", "Heart · female", "Adam · male", "British English", "George · male",
    ]  # fmt: skip
    assert rows(model, NAME_ROLE) == [None, "af_heart", "am_adam", None, "bm_george"]
    assert rows(model, HEADING_ROLE) == [True, False, False, True, False]


def test_headings_cannot_be_chosen(model: VoiceListModel) -> None:
    selectable = [bool(model.index(row).flags() & Qt.ItemFlag.ItemIsSelectable) for row in range(5)]
    assert selectable == [False, True, True, False, True]


def test_rows_are_found_by_name(model: VoiceListModel) -> None:
    assert (model.row_of("bm_george"), model.row_of("nobody"), model.first_voice_row()) == (4, -1, 1)
    assert VoiceListModel().first_voice_row() == -1


def test_a_tooltip_tells_grade_and_recipe(model: VoiceListModel) -> None:
    model.show(
        [
            VoiceInfo("af_heart", "Heart", "en-US", "female", "A"),
            VoiceInfo("duet", "duet", "en-US", "", recipe="af_heart(2)+am_adam(1)"),
            VoiceInfo("em_alex", "Alex", "es", "male"),
        ]
    )
    assert rows(model, int(Qt.ItemDataRole.ToolTipRole)) == [
        None, "af_heart: graded A by its makers", "duet: a blend, af_heart(2)+am_adam(1)", None, "em_alex",
    ]  # fmt: skip
    assert rows(model, int(Qt.ItemDataRole.DisplayRole))[2] == "duet · blend"
    assert [voice and voice.name for voice in rows(model, VOICE_ROLE)] == [None, "af_heart", "duet", None, "em_alex"]


def test_all_official_voices_are_listed_by_language(model: VoiceListModel) -> None:
    model.show(official_voices())
    assert model.rowCount() == 54 + 9
    assert rows(model, HEADING_ROLE).count(True) == 9


def test_it_is_a_proper_model(model: VoiceListModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(model, force_py=True)


@pytest.mark.parametrize(
    ("tag", "title"),
    [("en-US", "American English"), ("pt-BR", "Brazilian Portuguese"), ("xx-klingon", "xx-klingon")],
)
def test_languages_have_their_own_names(tag: str, title: str) -> None:
    assert language_title(tag) == title
