"""The whole window with every optional part, on a small screen or with large letters."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QDialog, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from app.application import Application
from app.messages import Message, MessageAction
from app.settings import Settings
from app.speech.activity import Activity, Readiness, SaveProgress
from app.speech.strips import Answer, ModelNotice
from tests.app.applications import Applications
from tests.app.fake_library import FakeLibrary

SCREEN = QSize(1280, 1000)
SAVING = SaveProgress(
    "A Very Long Name of a Book.m4b",
    "Chapter 7 of 35",
    0.2,
    5000.0,
    3,
    SaveProgress("A Very Long Name Again.m4b", fraction=0.4),
)
LONG = "“A Very Long Name of a Book.epub” can’t be opened: it is DRM-protected. Choose a different document."


def small(font_times: int) -> QSize:
    """Return the space on the screen: all of it for letters of twice the size, a quarter for a scale of 200 %."""
    return SCREEN if font_times == 2 else SCREEN / 2


@pytest.fixture(params=[1, 2])
def font_times(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[int]:
    usual, font = qapp.font(), qapp.font()
    font.setPointSizeF(request.param * usual.pointSizeF())
    qapp.setFont(font)
    yield request.param
    qapp.setFont(usual)


@pytest.fixture
def application(font_times: int, applications: Applications, qtbot: QtBot, settings: Settings) -> Application:
    settings.text = "One. Two. Six. Ten."
    application = applications.opened(make_library=FakeLibrary)
    qtbot.waitUntil(lambda: len(application.window.page.side_bar.findChildren(object, "twoLines")) == 3)
    applications.wait_ready(application)  # which shows more
    return application


def say_everything(application: Application) -> None:
    page = application.window.page
    page.banner.show_message(Message(LONG, action=MessageAction.OPEN_ANOTHER))
    page.strip.show_notice(ModelNotice(LONG, "kokoro-82m", (Answer.FETCH, Answer.NOT_NOW, Answer.CLOSE), going_on=True))
    page.save_strip.show_activity(Activity(Readiness.READY, save=SAVING))
    page.show_playing(LONG)


def assert_fits(application: Application, room: QSize, qtbot: QtBot) -> None:
    window, page = application.window, application.window.page
    say_everything(application)
    window.resize(room)
    qtbot.waitUntil(lambda: window.size() == room)
    assert window.minimumSizeHint().width() <= room.width()
    assert window.minimumSizeHint().height() <= room.height()
    assert page.rect().contains(page.status.geometry())
    assert page.status.y() > page.columns.geometry().bottom()
    assert page.columns.height() >= page.columns.minimumSizeHint().height()


def test_everything_to_say_and_any_panel_or_home_fit(application: Application, font_times: int, qtbot: QtBot) -> None:
    window, page, room = application.window, application.window.page, small(font_times)
    window.play()
    qtbot.waitUntil(lambda: application.controller.track.length > 0)
    application.desktop.find_bar.show()
    page.side_bar.open(application.reader.panel)
    for tab in range(page.side_bar.tabs.count()):
        page.side_bar.tabs.setCurrentIndex(tab)
        assert_fits(application, room, qtbot)
    assert page.side_bar.tabs.width() >= page.side_bar.tabs.sizeHint().width()
    application.reader.home.show()
    assert_fits(application, room, qtbot)


def is_seen_after_scrolling(area: QScrollArea, widget: QWidget) -> bool:
    """Return whether all of it can be seen now; messages may still be growing."""
    area.ensureWidgetVisible(widget)
    return bool(widget.visibleRegion().boundingRect() == widget.rect())


def test_messages_can_be_scrolled_into_view(application: Application, font_times: int, qtbot: QtBot) -> None:
    page, room = application.window.page, small(font_times)
    application.window.resize(room)

    def is_seen(button: QWidget) -> bool:
        if not button.isVisible():  # at first, or since the app has had something else to say
            say_everything(application)
            button.setFocus()
        return is_seen_after_scrolling(page.notices, button)

    for button in (page.banner.button, page.strip.close_button, page.save_strip.cancel_button):
        button.setFocus()
        qtbot.waitUntil(lambda each=button: is_seen(each))


def test_the_windows_that_it_opens_fit(application: Application, font_times: int, qtbot: QtBot) -> None:
    menu, room = application.window.menu, small(font_times)
    qtbot.waitUntil(lambda: bool(application.models.dialog.cards))
    for action in (menu.save, menu.settings, menu.models, menu.help, menu.shortcuts, menu.about):
        action.trigger()
        opened = [each for each in QApplication.topLevelWidgets() if isinstance(each, QDialog) and each.isVisible()]
        assert len(opened) == 1, action.text()
        least = opened[0].minimumSizeHint().expandedTo(opened[0].minimumSize())
        assert least.boundedTo(room) == least, action.text()
        opened[0].close()
