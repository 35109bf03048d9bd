from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from pytestqt.qtbot import QtBot

from app.widgets.combo_box import ComboBox

CHOICES = [(1, "One", "The first"), (2, "Two", ""), (None, "None at all", "")]


def made(qtbot: QtBot) -> ComboBox:
    box = ComboBox("Number", "Which number", 4)
    qtbot.addWidget(box)
    return box


def test_it_is_named_and_begins_with_the_first(qtbot: QtBot) -> None:
    box = made(qtbot)
    assert (box.accessibleName(), box.toolTip()) == ("Number", "Which number")
    assert box.value is None
    box.offer(CHOICES)
    assert box.value == 1
    assert box.values == (1, 2, None)
    assert box.itemData(0, Qt.ItemDataRole.ToolTipRole) == "The first"


def test_only_the_user_s_choice_is_told(qtbot: QtBot) -> None:
    box = made(qtbot)
    with qtbot.assertNotEmitted(box.chosen):
        box.offer(CHOICES)
        box.choose(2)
    with qtbot.waitSignal(box.chosen) as chosen:
        box.setFocus()
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert chosen.args == [None]


def test_the_wheel_changes_nothing_while_the_list_is_closed(qtbot: QtBot) -> None:
    box = made(qtbot)
    box.offer(CHOICES)
    down, nowhere = QPoint(0, -120), QPointF()
    event = QWheelEvent(
        nowhere, nowhere, QPoint(), down, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    box.wheelEvent(event)
    assert box.value == 1
    assert not event.isAccepted()


def test_the_choice_stays_when_it_is_still_there(qtbot: QtBot) -> None:
    box = made(qtbot)
    box.offer(CHOICES)
    box.choose(2)
    box.offer([(3, "Three", ""), (2, "Two", "")])
    assert box.value == 2
    box.offer([(3, "Three", "")])
    assert box.value == 3
    box.offer([])
    assert box.value is None


def test_the_same_offer_changes_nothing(qtbot: QtBot) -> None:
    box = made(qtbot)
    box.offer(CHOICES)
    with qtbot.assertNotEmitted(box.currentIndexChanged):
        box.offer(CHOICES)


def test_the_open_list_is_wide_enough(qtbot: QtBot) -> None:
    box = made(qtbot)
    title = "A title that is far wider than the box itself is"
    box.offer([(1, title, "")])
    box.resize(60, 24)
    box.show()
    box.showPopup()
    assert box.view().width() >= box.fontMetrics().horizontalAdvance(title)
    box.hidePopup()
