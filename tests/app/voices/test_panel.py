from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.speech.voice_choice import VoiceChoice
from app.speech.voice_list import MARK_PIXELS
from app.voices.panel import SearchField, VoicePanel
from engine.models.installed_voices import ModelVoices
from engine.models.voices.packs import official_voices
from tests.app.fakes import TWO_MODELS

HEART, GEORGE = VoiceChoice("af_heart", "kokoro-82m"), VoiceChoice("bm_george", "kokoro-82m")
SALLY = VoiceChoice("af_sally", "starter")


@pytest.fixture
def panel(qtbot: QtBot) -> VoicePanel:
    panel = VoicePanel()
    qtbot.addWidget(panel)
    panel.resize(260, 600)
    panel.show_models(TWO_MODELS, [SALLY], HEART)
    panel.show()
    return panel


def go_to(panel: VoicePanel, choice: VoiceChoice) -> None:
    panel.voices.setCurrentIndex(panel.rows.index(panel.rows.row_of(choice)))


def click(panel: VoicePanel, choice: VoiceChoice, qtbot: QtBot, from_end: int) -> None:
    row = panel.voices.visualRect(panel.rows.index(panel.rows.row_of(choice)))
    place = QPoint(row.right() - from_end, row.center().y())
    qtbot.mouseClick(panel.voices.viewport(), Qt.MouseButton.LeftButton, pos=place)


def spoken(panel: VoicePanel, choice: VoiceChoice) -> str:
    return str(panel.rows.index(panel.rows.row_of(choice)).data(Qt.ItemDataRole.AccessibleTextRole))


def test_favorites_come_first(panel: VoicePanel) -> None:
    assert panel.rows.choices[0] == SALLY
    assert spoken(panel, SALLY) == "Sally · female, favorite"


def test_clicking_a_voice_chooses_it_and_clicking_a_mark_triggers_it(panel: VoicePanel, qtbot: QtBot) -> None:
    signals = {"use": panel.use_requested, "hear": panel.hear_requested, "star": panel.favorite_requested}
    wanted: list[tuple[str, VoiceChoice]] = []
    for name, signal in signals.items():
        signal.connect(lambda choice, name=name: wanted.append((name, choice)))
    for from_end in (3 * MARK_PIXELS, MARK_PIXELS // 2, MARK_PIXELS + MARK_PIXELS // 2):
        click(panel, GEORGE, qtbot, from_end)
    assert wanted == [("use", GEORGE), ("hear", GEORGE), ("star", GEORGE)]


def test_a_press_released_on_a_different_voice_chooses_none(panel: VoicePanel, qtbot: QtBot) -> None:
    viewport, left = panel.voices.viewport(), Qt.MouseButton.LeftButton
    rows = [panel.voices.visualRect(panel.rows.index(panel.rows.row_of(each))).center() for each in (GEORGE, HEART)]
    with qtbot.assertNotEmitted(panel.use_requested):
        qtbot.mousePress(viewport, left, pos=rows[0])
        qtbot.mouseRelease(viewport, left, pos=rows[1])
        qtbot.mouseClick(viewport, Qt.MouseButton.RightButton, pos=rows[0])


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_keys_choose_a_voice_even_where_they_are_shortcuts_of_the_window(
    panel: VoicePanel, qtbot: QtBot, key: Qt.Key
) -> None:
    panel.activateWindow()
    panel.voices.setFocus()
    go_to(panel, GEORGE)
    override = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.NoModifier)
    override.ignore()
    panel.voices.event(override)
    assert override.isAccepted()
    with qtbot.waitSignal(panel.use_requested) as used:
        qtbot.keyClick(panel.voices, key)
    assert used.args == [GEORGE]


def test_other_actions_have_keys_and_are_in_the_context_menu(panel: VoicePanel, qtbot: QtBot) -> None:
    go_to(panel, GEORGE)
    actions = panel.voices.actions()
    assert all(not action.shortcut().isEmpty() for action in actions)
    for action, signal in ((panel.hear, panel.hear_requested), (panel.favorite, panel.favorite_requested)):
        assert action in actions
        with qtbot.waitSignal(signal) as wanted:
            action.trigger()
        assert wanted.args == [GEORGE]


def test_letters_go_to_a_voice_without_choosing_it(panel: VoicePanel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(panel.use_requested):
        qtbot.keyClicks(panel.voices, "geo")
    assert panel.current == GEORGE


def test_only_blends_can_be_renamed_and_deleted(panel: VoicePanel) -> None:
    go_to(panel, HEART)
    assert not panel.rename.isEnabled()
    assert not panel.delete.isEnabled()
    duet = replace(TWO_MODELS[1].voices[0], name="Été", title="Été", recipe="af_sally(1)+am_adam(1)")
    panel.show_models([replace(TWO_MODELS[1], voices=(*TWO_MODELS[1].voices, duet))], [], SALLY)
    go_to(panel, VoiceChoice("Été", "starter"))
    assert panel.rename.isEnabled()
    assert panel.delete.isEnabled()


def test_the_current_voice_stays_current_in_a_new_list(panel: VoicePanel) -> None:
    go_to(panel, GEORGE)
    starred = panel.favorite.text()
    panel.show_models(TWO_MODELS, [GEORGE], HEART)
    assert panel.current == GEORGE
    assert panel.favorite.text() != starred


def test_the_chosen_voice_is_marked_and_told_to_screen_readers(panel: VoicePanel) -> None:
    assert spoken(panel, HEART) == "Heart · female, current voice"
    panel.show_chosen(SALLY)
    assert spoken(panel, HEART) == "Heart · female"
    assert spoken(panel, SALLY) == "Sally · female, current voice, favorite"
    assert panel.current == SALLY


def in_view(panel: VoicePanel, choice: VoiceChoice) -> bool:
    row = panel.voices.visualRect(panel.rows.index(panel.rows.row_of(choice)))
    return not row.isEmpty() and panel.voices.viewport().rect().contains(row)


def test_the_chosen_voice_is_in_view_when_the_panel_opens_or_shrinks(panel: VoicePanel, qtbot: QtBot) -> None:
    many = ModelVoices("kokoro-82m", "Kokoro-82M", official_voices())
    panel.show_models([many], [], GEORGE)
    panel.voices.scrollToTop()
    assert not in_view(panel, GEORGE)
    panel.hide()
    panel.show()
    qtbot.waitUntil(lambda: in_view(panel, GEORGE))
    panel.blend.open_button.click()
    panel.resize(panel.width(), panel.minimumSizeHint().height() + 100)
    qtbot.waitUntil(lambda: in_view(panel, GEORGE))


def test_a_search_lists_matching_voices_and_the_down_key_enters_them(panel: VoicePanel, qtbot: QtBot) -> None:
    panel.activateWindow()
    panel.search.setFocus()
    qtbot.keyClicks(panel.search, "brit")
    assert panel.rows.choices == (GEORGE,)
    qtbot.keyClick(panel.search, Qt.Key.Key_Down)
    assert panel.current == GEORGE
    assert panel.voices.hasFocus()
    qtbot.keyClick(panel.search, Qt.Key.Key_Escape)
    assert len(panel.rows.choices) == 5
    assert panel.current == GEORGE


def test_a_search_without_results_says_so(panel: VoicePanel, qtbot: QtBot) -> None:
    qtbot.keyClicks(panel.search, "nobody")
    assert panel.empty.isVisible()
    assert not panel.round.isEnabled()
    qtbot.keyClick(panel.search, Qt.Key.Key_Escape)
    assert not panel.empty.isVisible()
    assert panel.current == HEART


def test_a_blend_of_four_scrolls_where_the_panel_is_low(panel: VoicePanel, qtbot: QtBot) -> None:
    panel.blend.open_button.click()
    for _ in range(2):
        panel.blend.add_button.click()
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
    places = [after.index(each) for each in (panel.round, panel.blend.open_button, panel.blend.parts[0].slider)]
    assert places == sorted(places)


@pytest.fixture
def field(qtbot: QtBot) -> SearchField:
    field = SearchField("Search things", "Name")
    qtbot.addWidget(field)
    field.show()
    return field


def claims_escape(field: SearchField) -> bool:
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    event.ignore()
    field.event(event)
    return event.isAccepted()


def test_escape_clears_the_search_and_then_passes_to_the_window(field: SearchField, qtbot: QtBot) -> None:
    field.setText("words")
    assert claims_escape(field)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert not claims_escape(field)


def test_the_down_key_leads_to_the_results(field: SearchField, qtbot: QtBot) -> None:
    with qtbot.waitSignal(field.left_for_results):
        qtbot.keyClick(field, Qt.Key.Key_Down)
