from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.progress import BAR_STEPS, show_fraction


class Counting(QWidget):
    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted += 1


def test_a_fraction_or_something_going_on(qtbot: QtBot) -> None:
    bar = QProgressBar()
    qtbot.addWidget(bar)
    show_fraction(bar, 0.25)
    assert (bar.maximum(), bar.value()) == (BAR_STEPS, BAR_STEPS // 4)
    show_fraction(bar, None)
    assert (bar.minimum(), bar.maximum()) == (0, 0)


def test_what_waits_to_be_painted_is_not_painted_for_every_fraction(qtbot: QtBot) -> None:
    window, beside, bar = QWidget(), Counting(), QProgressBar()
    qtbot.addWidget(window)
    beside.setMinimumSize(50, 50)
    layout = QVBoxLayout(window)
    layout.addWidget(beside)
    layout.addWidget(bar)
    show_fraction(bar, 0.0)
    window.show()
    qtbot.waitUntil(lambda: beside.painted > 0)
    painted = beside.painted
    for percent in range(100):
        beside.update()
        show_fraction(bar, percent / 100)
    assert beside.painted == painted
    qtbot.waitUntil(lambda: beside.painted > painted)
