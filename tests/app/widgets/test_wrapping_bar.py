import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.wrapping_bar import GROUP_SPACE_PIXELS, WrappingBar, balanced, broken

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


def test_what_is_left_goes_to_who_takes_it(qtbot: QtBot) -> None:
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
def test_groups_are_kept_in_their_order(room: int, counts: list[int]) -> None:
    assert broken([WIDTH] * 5, room) == counts


def test_lines_are_about_equally_long() -> None:
    assert broken([WIDTH] * 5, 500) == [4, 1]
    assert balanced([WIDTH] * 5, 500) == [3, 2]
    assert balanced([], 500) == []
    assert balanced([WIDTH], 20) == [1]
