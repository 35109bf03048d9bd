import pytest
from pytestqt.qtbot import QtBot

from app.voices import blend_editor
from app.voices.blend_editor import BlendEditor
from tests.app.fakes import VOICES

HEAR_AFTER_MS = 50


@pytest.fixture
def editor(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> BlendEditor:
    monkeypatch.setattr(blend_editor, "HEAR_AFTER_MS", HEAR_AFTER_MS)
    editor = BlendEditor()
    qtbot.addWidget(editor)
    editor.show_voices(VOICES)
    editor.show()
    editor.open_button.click()
    return editor


def test_sliders_make_a_recipe(editor: BlendEditor) -> None:
    assert editor.recipe == "af_heart(50)+bm_george(50)"
    editor.parts[0].slider.setValue(100)
    assert editor.recipe == "af_heart(100)+bm_george(50)"
    assert editor.parts[0].slider.accessibleDescription() == "67% of the blend"
    editor.add_button.click()
    assert editor.recipe == "af_heart(100)+bm_george(50)+am_adam(50)"
    editor.remove_button.click()
    assert editor.recipe == "af_heart(100)+bm_george(50)"


def test_it_takes_two_voices_at_least_and_four_at_most(editor: BlendEditor) -> None:
    editor.parts[0].slider.setValue(0)
    assert editor.recipe == ""
    editor.parts[0].slider.setValue(10)
    editor.parts[0].choose("bm_george")
    assert editor.recipe == ""
    assert not editor.remove_button.isEnabled()
    editor.add_button.click()
    editor.add_button.click()
    assert not editor.add_button.isEnabled()
    assert [part.isVisible() for part in editor.parts] == [True] * 4


def test_a_blend_plays_once_after_a_slider_comes_to_rest(editor: BlendEditor, qtbot: QtBot) -> None:
    heard: list[str] = []
    editor.hear_requested.connect(heard.append)
    for value in range(51, 71):
        editor.parts[1].slider.setValue(value)
    qtbot.waitUntil(lambda: heard == ["af_heart(50)+bm_george(70)"])
    editor.live.setChecked(False)
    editor.parts[1].slider.setValue(1)
    qtbot.wait_for_timers(HEAR_AFTER_MS)
    assert len(heard) == 1


@pytest.mark.parametrize("switch", ["live", "open_button"])
def test_a_change_is_not_heard_once_that_is_not_wanted(editor: BlendEditor, qtbot: QtBot, switch: str) -> None:
    with qtbot.assertNotEmitted(editor.hear_requested, wait=150):
        editor.parts[1].slider.setValue(70)
        getattr(editor, switch).click()


def test_it_is_saved_under_a_name(editor: BlendEditor, qtbot: QtBot) -> None:
    assert not editor.save_button.isEnabled()
    editor.name.setText(" duet ")
    with qtbot.waitSignal(editor.save_requested) as saved:
        editor.save_button.click()
    assert saved.args == ["duet", "af_heart(50)+bm_george(50)"]


def test_voices_chosen_stay_chosen_when_more_are_listed(editor: BlendEditor) -> None:
    editor.parts[0].choose("am_adam")
    editor.show_voices(VOICES[::-1])
    assert editor.recipe == "am_adam(50)+bm_george(50)"


def test_one_voice_cannot_be_blended(editor: BlendEditor) -> None:
    editor.show_voices(VOICES[:1])
    assert not editor.open_button.isEnabled()
