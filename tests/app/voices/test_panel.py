import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.speech.voice_choice import Choice
from app.theme import LIGHT
from app.voices.blend_editor import LEAST_BODY_PIXELS
from app.voices.panel import SPACE_PIXELS, VoicePanel
from app.widgets.action_button import ActionButton
from tests.app.fakes import TWO_MODELS

HEART, GEORGE = Choice("af_heart", "kokoro-82m"), Choice("bm_george", "kokoro-82m")
SALLY = Choice("af_sally", "starter")


@pytest.fixture
def panel(qtbot: QtBot) -> VoicePanel:
    panel = VoicePanel()
    qtbot.addWidget(panel)
    panel.resize(260, 600)
    panel.set_colours(LIGHT)
    panel.show_models(TWO_MODELS, [SALLY], "kokoro-82m")
    panel.show()
    return panel


def go_to(panel: VoicePanel, choice: Choice) -> None:
    panel.voices.setCurrentIndex(panel.rows.index(panel.rows.row_of(choice)))


def test_favourites_come_first(panel: VoicePanel) -> None:
    assert panel.rows.choices[0] == SALLY
    assert panel.rows.index(0).data() == "Favourites"
    assert panel.rows.index(1).data(Qt.ItemDataRole.AccessibleTextRole) == "Sally · female, favourite"


def test_filters_leave_only_what_was_asked_for(panel: VoicePanel) -> None:
    panel.genders.choose("male")
    panel.genders.chosen.emit("male")
    assert {choice.voice for choice in panel.rows.choices} == {"am_adam", "bm_george"}
    panel.languages.choose("en-GB")
    panel.languages.chosen.emit("en-GB")
    assert panel.rows.choices == (GEORGE,)


def test_a_click_on_a_play_mark_lets_its_voice_be_heard(panel: VoicePanel, qtbot: QtBot) -> None:
    row = panel.voices.visualRect(panel.rows.index(panel.rows.row_of(GEORGE)))
    with qtbot.waitSignal(panel.hear_wanted) as heard:
        qtbot.mouseClick(
            panel.voices.viewport(), Qt.MouseButton.LeftButton, pos=row.center() + QPoint(row.width() // 2 - 8, 0)
        )
    assert heard.args == [GEORGE]
    with qtbot.assertNotEmitted(panel.hear_wanted):
        qtbot.mouseClick(panel.voices.viewport(), Qt.MouseButton.LeftButton, pos=row.center())


def test_everything_can_be_done_with_keys(panel: VoicePanel, qtbot: QtBot) -> None:
    panel.activateWindow()
    panel.voices.setFocus()
    go_to(panel, GEORGE)
    with qtbot.waitSignal(panel.use_wanted) as used:
        qtbot.keyClick(panel.voices, Qt.Key.Key_Return)
    assert used.args == [GEORGE]
    keys = {action.text(): action.shortcut().toString() for action in panel.voices.actions()}
    assert keys["Preview"] == "Space"
    assert keys["Favourite"] == "Ctrl+B"
    for action, signal in ((panel.hear, panel.hear_wanted), (panel.favourite, panel.favourite_wanted)):
        with qtbot.waitSignal(signal) as wanted:
            action.trigger()
        assert wanted.args == [GEORGE]


def test_only_blends_can_be_renamed_and_deleted(panel: VoicePanel) -> None:
    go_to(panel, HEART)
    assert not panel.rename.isEnabled()
    assert not panel.delete.isEnabled()


def test_the_current_voice_stays_current_in_another_list(panel: VoicePanel) -> None:
    go_to(panel, GEORGE)
    panel.show_models(TWO_MODELS, [GEORGE], "kokoro-82m")
    assert panel.current == GEORGE
    assert panel.favourite.text() == "Remove Favourite"


def test_a_blend_of_four_scrolls_where_the_panel_is_low(panel: VoicePanel, qtbot: QtBot) -> None:
    closed_pixels = panel.minimumSizeHint().height()
    panel.blend.open_button.click()
    for _ in range(2):
        panel.blend.add_button.click()
    assert panel.minimumSizeHint().height() == closed_pixels + SPACE_PIXELS + LEAST_BODY_PIXELS
    panel.resize(panel.width(), panel.minimumSizeHint().height())
    last = panel.blend.name
    assert last.visibleRegion().isEmpty()
    panel.activateWindow()
    panel.blend.live.setFocus()
    qtbot.keyClick(panel.blend.live, Qt.Key.Key_Tab)
    assert last.visibleRegion().boundingRect().size() == last.size()


def test_a_blend_is_shown_whole_where_there_is_room(panel: VoicePanel, qtbot: QtBot) -> None:
    panel.blend.open_button.click()
    for _ in range(2):
        panel.blend.add_button.click()
    panel.resize(260, 700)
    qtbot.waitUntil(lambda: panel.blend.parts[3].visibleRegion().boundingRect().size() == panel.blend.parts[3].size())
    assert panel.blend.save_button.visibleRegion().boundingRect().size() == panel.blend.save_button.size()


def test_the_tab_key_leads_to_the_buttons_before_the_blend_below_them(panel: VoicePanel) -> None:
    after: list[QWidget] = [panel.voices]
    while after[-1] is not panel:
        after.append(after[-1].nextInFocusChain())
    buttons = [number for number, each in enumerate(after) if isinstance(each, ActionButton)]
    assert len(buttons) == 6
    assert max(buttons) < after.index(panel.blend.open_button)
