"""Tests that screen readers and keyboards reach every widget of all windows, found by walking them."""

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAction, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QDialog,
    QHeaderView,
    QMenu,
    QProgressBar,
    QScrollBar,
    QSplitter,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.application import Application
from app.messages import Message, Severity
from app.settings import Settings
from tests.app.applications import Applications
from tests.app.fake_library import FakeLibrary

OF_THE_PLOTS = "Export..."
"""An action that pyqtgraph creates for each plot, for a menu that is not shown here."""


@pytest.fixture
def application(applications: Applications, qtbot: QtBot, settings: Settings) -> Iterator[Application]:
    """An application with every part shown, after a text was spoken."""
    settings.text = "One. Two. Three."
    application = applications.ready(make_library=FakeLibrary)
    application.window.play()
    qtbot.waitUntil(lambda: application.controller.track.whole)
    application.controller.player.pause()  # a device that takes no samples soon counts as lost
    application.diagnostics.open()
    application.models.open()
    application.lexicon.open()
    menu = application.window.menu
    for action in (menu.find_text, menu.settings, menu.about, menu.help, menu.shortcuts):
        action.trigger()
    application.window.page.banner.show_message(Message("Something is wrong.", Severity.WARNING))
    yield application
    for dialog in application.window.findChildren(QDialog):
        dialog.close()


def widgets(application: Application) -> list[QWidget]:
    """Return the widgets that users can reach, in all windows; Qt's internal parts have names that begin with qt_."""
    found = [each for each in application.window.findChildren(QWidget) if not isinstance(each, QMenu)]
    return [each for each in found if not each.isHidden() and not _is_qts_own(each)]


def _is_qts_own(widget: QWidget) -> bool:
    parent = widget.parent()
    of_another = isinstance(parent, QAbstractScrollArea) and widget is parent.viewport()
    own = isinstance(widget, QScrollBar | QHeaderView | QSplitter) or type(widget).__name__ == "QSplitterHandle"
    in_combo_box = parent is not None and isinstance(parent.parent(), QComboBox)
    return of_another or own or in_combo_box or widget.objectName().startswith("qt_")


def words(widget: QWidget, kind: QAccessible.Text) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(kind) if interface is not None else ""


def described(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}"


def test_everything_that_takes_the_focus_has_a_name(application: Application) -> None:
    focusable = [each for each in widgets(application) if each.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert len(focusable) > 30
    nameless = [described(each) for each in focusable if not words(each, QAccessible.Text.Name)]
    assert "\n".join(nameless) == ""


def test_widgets_that_show_a_state_have_a_name(application: Application) -> None:
    shown = [each for each in widgets(application) if isinstance(each, QProgressBar | QTabBar)]
    assert shown
    assert [described(each) for each in shown if not words(each, QAccessible.Text.Name)] == []


def test_painted_information_is_also_accessible_as_text(application: Application) -> None:
    page = application.window.page
    assert words(page.player.waveform, QAccessible.Text.Description) == "0:00 of 0:03"
    assert words(page.header.speed.slider, QAccessible.Text.Value) == str(page.header.speed.slider.value())
    assert words(page.banner, QAccessible.Text.Name) == "Warning"
    assert words(page.banner, QAccessible.Text.Description) == "Something is wrong."


def test_kinds_of_messages_differ_by_their_symbol(application: Application) -> None:
    banner = application.window.page.banner
    shapes = set()
    for tone in Severity:
        banner.dismiss()
        banner.show_message(Message("Something.", tone))
        alpha = banner.symbol.icon.pixmap(32).toImage().convertToFormat(QImage.Format.Format_Alpha8)
        shapes.add(bytes(alpha.constBits()))
    assert len(shapes) == len(Severity)


def test_every_command_has_a_menu_a_key_or_a_button(application: Application) -> None:
    window = application.window
    offered = {id(action) for menu in window.findChildren(QMenu) for action in menu.actions()}
    offered |= {id(action) for action in window.findChildren(QAction) if action.shortcuts()}
    offered |= {id(action) for widget in window.findChildren(QWidget) for action in _context_menu(widget)}
    buttons = {button.text() for button in window.findChildren(QAbstractButton)}
    owned = [action for action in window.findChildren(QAction) if action.text() and action.menu() is None]
    assert len(owned) > 50
    others = {each.text() for each in owned if id(each) not in offered} - buttons
    assert others - {OF_THE_PLOTS} == set()


def _context_menu(widget: QWidget) -> list[QAction]:
    by_actions = widget.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu
    return widget.actions() if by_actions else []


def test_no_key_means_two_things_at_a_time(application: Application) -> None:
    """A key of a single widget would also be ambiguous if the window has it too."""
    actions = application.window.findChildren(QAction)
    of_window = [each for each in actions if each.shortcutContext() is not Qt.ShortcutContext.WidgetShortcut]
    keys = Counter(key.toString() for action in of_window if action.isEnabled() for key in action.shortcuts())
    assert {key for key, count in keys.items() if count > 1} == set()
    of_widgets = {key.toString() for action in actions if action not in of_window for key in action.shortcuts()}
    assert of_widgets & set(keys) == set()
