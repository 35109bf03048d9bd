import pytest
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.elided_text import ElidedButton, ElidedComboBox, ElidedLabel
from app.widgets.layouts import GROUP_SPACE_PIXELS, ScrollingBody, WrappingBar, balanced, broken

WIDTH = 100


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def bar(window: QWidget) -> WrappingBar:
    bar = WrappingBar(window)
    for name in "abcd":
        label = QLabel(name)
        label.setFixedSize(WIDTH, 20)
        bar.add(label)
    bar.resize(1000, 30)
    window.show()
    return bar


def names(bar: WrappingBar) -> list[str]:
    found = [sorted(line, key=lambda group: group.x()) for line in bar.lines]
    return ["".join(group.findChild(QLabel).text() for group in line) for line in found]


def test_one_line_where_there_is_room(bar: WrappingBar) -> None:
    assert names(bar) == ["abcd"]
    assert bar.sizeHint().width() == 4 * WIDTH + 3 * GROUP_SPACE_PIXELS


def test_lines_are_broken_between_groups_and_joined_again(bar: WrappingBar, qtbot: QtBot) -> None:
    bar.resize(3 * WIDTH + 3 * GROUP_SPACE_PIXELS, 100)
    assert names(bar) == ["ab", "cd"]
    assert bar.minimumSizeHint().height() > 40
    (first, _), (third, _) = bar.lines
    qtbot.waitUntil(lambda: third.y() > first.geometry().bottom())
    bar.resize(WIDTH, 200)
    assert names(bar) == list("abcd")
    assert bar.minimumSizeHint().width() == WIDTH
    bar.resize(1000, 30)
    assert names(bar) == ["abcd"]
    assert bar.minimumSizeHint().height() == 20


def test_remaining_space_goes_to_the_widget_with_a_share(qtbot: QtBot) -> None:
    bar, first, second = WrappingBar(), QLabel("first"), QLabel("second")
    qtbot.addWidget(bar)
    bar.add(first)
    bar.add(second, share=1)
    bar.resize(600, 30)
    bar.show()
    assert first.width() < 100
    assert second.width() > 400


@pytest.mark.parametrize(
    ("room", "counts"), [(1000, [5]), (112, [1, 1, 1, 1, 1]), (212, [2, 2, 1]), (50, [1, 1, 1, 1, 1])]
)
def test_groups_stay_in_their_order(room: int, counts: list[int]) -> None:
    assert broken([WIDTH] * 5, room) == counts


def test_lines_are_about_equally_long() -> None:
    assert broken([WIDTH] * 5, 500) == [4, 1]
    assert balanced([WIDTH] * 5, 500) == [3, 2]
    assert balanced([], 500) == []
    assert balanced([WIDTH], 20) == [1]


def page_of(count: int) -> tuple[QWidget, list[QLineEdit]]:
    page = QWidget()
    layout = QVBoxLayout(page)
    fields = [QLineEdit(page) for _ in range(count)]
    for field in fields:
        layout.addWidget(field)
    return page, fields


@pytest.mark.parametrize("grow", [False, True])
def test_content_that_does_not_fit_scrolls_with_the_focus(qtbot: QtBot, grow: bool) -> None:
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


def test_wrapped_lines_count_and_empty_content_takes_no_space(qtbot: QtBot) -> None:
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


LONG = "First divergence: Text features (LSTM packing matters at this padding)"


@pytest.mark.parametrize("kind", [ElidedLabel, ElidedButton])
def test_words_give_way_and_come_back(qtbot: QtBot, kind: type) -> None:
    window, text = QWidget(), kind()
    QHBoxLayout(window).addWidget(text)
    qtbot.addWidget(window)
    text.set_text(LONG)
    window.show()
    window.resize(140, 40)
    qtbot.waitUntil(lambda: text.text().endswith("…"))
    assert text.toolTip() == LONG
    window.resize(900, 40)
    qtbot.waitUntil(lambda: text.text() == LONG)


def test_both_say_everything_to_a_screen_reader(qtbot: QtBot) -> None:
    label, button = ElidedLabel(), ElidedButton()
    for text in (label, button):
        qtbot.addWidget(text)
        text.set_text(LONG)
    assert label.accessibleDescription() == LONG
    assert button.accessibleName() == LONG
    assert button.sizeHint().width() > button.fontMetrics().horizontalAdvance(LONG)
    assert button.minimumSizeHint().width() < 50


def test_a_chosen_title_gives_way_too(qtbot: QtBot) -> None:
    box = ElidedComboBox()
    qtbot.addWidget(box)
    box.addItem(LONG)
    box.resize(140, 30)
    assert box.shown_title.endswith("…")
    assert LONG.startswith(box.shown_title[:-1])
    assert box.currentText() == LONG
    narrow = box.grab().toImage()
    box.resize(900, 30)
    assert box.shown_title == LONG
    assert box.grab().toImage() != narrow


def test_an_open_list_is_no_wider_than_the_screen(qtbot: QtBot) -> None:
    box = ElidedComboBox()
    qtbot.addWidget(box)
    box.setStyleSheet("QComboBox { combobox-popup: 0; }")  # as the theme does
    box.addItem("A title without an end. " * 30)
    box.resize(60, 24)
    box.show()
    box.showPopup()
    assert box.view().minimumWidth() < box.screen().availableGeometry().width()
    box.hidePopup()
