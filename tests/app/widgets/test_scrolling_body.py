import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.scrolling_body import ScrollingBody


def page_of(count: int) -> tuple[QWidget, list[QLineEdit]]:
    page = QWidget()
    layout = QVBoxLayout(page)
    fields = [QLineEdit(page) for _ in range(count)]
    for field in fields:
        layout.addWidget(field)
    return page, fields


@pytest.mark.parametrize("grow", [False, True])
def test_what_does_not_fit_scrolls_along_with_the_focus(qtbot: QtBot, grow: bool) -> None:
    page, fields = page_of(30)
    body = ScrollingBody(page, grow=grow)
    qtbot.addWidget(body)
    assert body.minimumSizeHint().height() < page.minimumSizeHint().height() / 4
    body.resize(body.minimumSizeHint())
    body.show()
    qtbot.waitExposed(body)
    assert fields[-1].visibleRegion().isEmpty()
    assert not body.horizontalScrollBar().isVisible()
    fields[-2].setFocus()
    body.focusNextChild()
    assert fields[-1].visibleRegion().boundingRect().size() == fields[-1].size()


def test_it_is_as_high_as_its_body_and_follows_it(qtbot: QtBot) -> None:
    window, (page, fields) = QWidget(), page_of(3)
    body, rest = ScrollingBody(page, window), QLabel("Below", window)
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    layout.addWidget(body)
    layout.addWidget(rest, 1)
    window.resize(300, 800)
    window.show()
    qtbot.waitUntil(lambda: body.height() == page.sizeHint().height())
    fields[0].hide()
    qtbot.waitUntil(lambda: body.height() == page.sizeHint().height())
    assert rest.height() > 2 * body.height()


def test_one_that_may_grow_takes_the_room(qtbot: QtBot) -> None:
    page, _ = page_of(1)
    body = ScrollingBody(page, grow=True)
    qtbot.addWidget(body)
    body.resize(200, 500)
    body.show()
    assert page.size() == body.viewport().size() == body.size()


def test_lines_that_wrap_count_and_what_is_empty_takes_no_room(qtbot: QtBot) -> None:
    window, page = QWidget(), QWidget()
    words = QLabel("Words that go on, and on, and on. " * 10, page)
    words.setWordWrap(True)
    QVBoxLayout(page).addWidget(words)
    body = ScrollingBody(page, window)
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    layout.addWidget(body)
    layout.addStretch(1)
    window.resize(600, 800)
    window.show()
    qtbot.waitUntil(lambda: body.height() == page.layout().totalHeightForWidth(body.width()))
    before = body.height()
    window.resize(300, 800)
    qtbot.waitUntil(lambda: body.height() == page.layout().totalHeightForWidth(body.width()) > before)
    words.hide()
    qtbot.waitUntil(lambda: body.height() == 0)
