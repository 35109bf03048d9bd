import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.side_bar import MIN_WIDTH_PIXELS, SideBar


@pytest.fixture
def bar(qtbot: QtBot) -> SideBar:
    bar = SideBar()
    qtbot.addWidget(bar)
    return bar


def test_it_is_hidden_until_a_panel_is_wanted(bar: SideBar) -> None:
    action = bar.add("Chapters", QLabel("One"))
    assert bar.isHidden()
    assert bar.panel is None
    assert not action.isChecked()


def test_an_action_shows_its_panel_and_hides_it_again(bar: SideBar) -> None:
    chapters, history = QLabel("One"), QLabel("Yesterday")
    first, second = bar.add("Chapters", chapters), bar.add("History", history)
    second.trigger()
    assert bar.panel is history
    assert (first.isChecked(), second.isChecked()) == (False, True)
    first.trigger()
    assert bar.panel is chapters
    assert (first.isChecked(), second.isChecked()) == (True, False)
    first.trigger()
    assert bar.panel is None
    assert bar.isHidden()
    assert not first.isChecked()


def test_a_tab_shows_its_panel(bar: SideBar, qtbot: QtBot) -> None:
    chapters, history = QLabel("One"), QLabel("Yesterday")
    bar.add("Chapters", chapters)
    action = bar.add("History", history)
    bar.open(chapters)
    bar.show()
    with qtbot.waitSignal(bar.changed):
        qtbot.keyClick(bar.tabs, Qt.Key.Key_Right)
    assert bar.panel is history
    assert action.isChecked()


def test_its_button_closes_it(bar: SideBar) -> None:
    action = bar.add("Chapters", QLabel("One"))
    action.trigger()
    bar.close_button.click()
    assert bar.panel is None
    assert not action.isChecked()


def test_an_expected_panel_is_shown_once_it_is_added(bar: SideBar) -> None:
    bar.expect("History")
    assert bar.title == "History"
    bar.add("Chapters", QLabel("One"))
    assert bar.panel is None
    history = QLabel("Yesterday")
    bar.add("History", history)
    assert bar.panel is history
    assert bar.title == "History"


def test_closing_the_side_bar_forgets_the_expected_panel(bar: SideBar) -> None:
    bar.expect("History")
    bar.close_panel()
    bar.add("History", QLabel("Yesterday"))
    assert bar.panel is None


def test_it_gives_way_only_where_it_took_the_place_of_the_text(bar: SideBar) -> None:
    chapters = QLabel("One")
    bar.add("Chapters", chapters)
    bar.open(chapters)
    bar.give_way()
    assert bar.panel is chapters
    bar.instead = True
    bar.give_way()
    assert bar.panel is None


def test_a_wide_panel_does_not_widen_the_window(bar: SideBar) -> None:
    bar.add("Chapters", QLabel("A long title " * 30))
    assert bar.minimumSizeHint().width() == MIN_WIDTH_PIXELS


def test_its_controls_have_names(bar: SideBar) -> None:
    assert not bar.close_button.icon().isNull()
    assert bar.close_button.accessibleName() == "Close side bar"
    assert bar.tabs.accessibleName() == "Panels"


def test_the_tab_key_visits_panels_before_widgets_beside_the_side_bar(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    bar, beside = SideBar(page), QLineEdit(page)
    for title in ("Chapters", "History"):
        panel = QWidget()
        for name in ("Search", "Delete"):
            QPushButton(f"{name} {title}", panel)
        bar.add(title, panel)
    after: list[QWidget] = [bar.close_button]
    while after[-1] is not beside:
        after.append(after[-1].nextInFocusChain())
    buttons = [each.text() for each in after if isinstance(each, QPushButton)]
    assert buttons == ["Search Chapters", "Delete Chapters", "Search History", "Delete History"]


def test_a_panel_that_is_higher_than_its_room_scrolls(bar: SideBar, qtbot: QtBot) -> None:
    panel = QWidget()
    panel.setMinimumHeight(900)
    bar.add("Voices", panel)
    bar.add("History", QLabel("Yesterday"))
    bar.open(panel)
    assert bar.minimumSizeHint().height() < 200
    bar.resize(300, 300)
    qtbot.waitUntil(lambda: panel.height() == 900)
    assert panel.visibleRegion().boundingRect().height() < 300
