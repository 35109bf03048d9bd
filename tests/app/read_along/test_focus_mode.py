import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.audio.player import Playback
from tests.app.read_along.desk import Desk


def parts(desk: Desk) -> list[bool]:
    return [not part.isHidden() for part in (desk.page.header, desk.page.player.wave)]


def test_only_the_text_and_the_buttons_to_play_it_are_left(desk: Desk, qtbot: QtBot) -> None:
    desk.speak()
    panel = QLabel("Chapters")
    desk.page.side_bar.add("Chapters", panel)
    desk.page.side_bar.open(panel)
    desk.window.resize(1000, 700)
    qtbot.wait_for_timers()
    height = desk.editor.height()
    split = desk.page.split.sizes()
    desk.feature.actions.focus.trigger()
    assert parts(desk) == [False, False]
    assert desk.page.side_bar.panel is None
    assert desk.page.player.transport.isVisible()
    assert desk.editor.edit.hasFocus()
    qtbot.waitUntil(lambda: desk.editor.height() > height + 100)
    assert desk.editor.edit.viewport().width() < 700
    desk.feature.actions.focus.trigger()
    assert parts(desk) == [True, True]
    assert desk.page.side_bar.panel is panel
    qtbot.waitUntil(lambda: desk.page.split.sizes() == split)


def test_escape_first_stops_and_then_leaves(desk: Desk, qtbot: QtBot) -> None:
    desk.speak()
    desk.hear(100)
    desk.feature.actions.focus.trigger()
    qtbot.keyClick(desk.editor.edit, Qt.Key.Key_Escape)
    assert desk.controller.player.playback is Playback.STOPPED
    assert desk.feature.focus.on
    qtbot.keyClick(desk.editor.edit, Qt.Key.Key_Escape)
    assert not desk.feature.focus.on
    assert not desk.feature.actions.focus.isChecked()
    assert parts(desk) == [True, True]


def test_the_spoken_line_is_in_the_middle(desk: Desk, qtbot: QtBot) -> None:
    text = "\n".join(["A line before."] * 60) + "\nHere it is. " + "\n".join(["A line after."] * 60)
    desk.editor.set_text(text)
    edit = desk.editor.edit
    desk.editor.marks.follow()
    desk.editor.marks.show(edit.document().find("Here it is"))
    desk.feature.actions.focus.trigger()

    def is_in_the_middle() -> bool:
        place = edit.cursorRect(edit.document().find("Here it is")).center().y()
        return abs(place - edit.viewport().height() / 2) < 2 * edit.fontMetrics().lineSpacing()

    qtbot.waitUntil(is_in_the_middle)


def test_closing_the_window_remembers_what_it_looked_like_before(desk: Desk) -> None:
    desk.speak()
    desk.page.split.setSizes([300, 200])
    split = desk.page.split.sizes()
    desk.feature.actions.focus.trigger()
    desk.window.close()
    assert not desk.feature.focus.on
    assert parts(desk) == [True, True]
    desk.page.split.setSizes([100, 400])
    desk.page.split.restoreState(desk.settings.split)
    assert desk.page.split.sizes() == pytest.approx(split, abs=2)
