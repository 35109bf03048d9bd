from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.messages import Remedy
from app.models.dialog import ModelsDialog
from app.models.jobs import Task
from app.models.row import ModelRow, RowButton
from engine.errors import DamagedModel, DownloadError
from engine.models.catalogue import catalogue
from engine.models.store import ModelState, ModelStatus

STARTER, FULL_SIZE = catalogue()[:2]


def rows(state: ModelState, **values: object) -> tuple[ModelRow, ...]:
    starter = ModelRow(ModelStatus(STARTER, ModelState.BUNDLED), Path("s"))
    return starter, ModelRow(ModelStatus(FULL_SIZE, state, 340_000_000), Path("k"), **values)


@pytest.fixture
def dialog(qtbot: QtBot) -> ModelsDialog:
    dialog = ModelsDialog()
    qtbot.addWidget(dialog)
    dialog.show_rows(rows(ModelState.ABSENT))
    dialog.open_window()
    qtbot.waitExposed(dialog)
    return dialog


def test_it_keeps_nobody_from_the_main_window(dialog: ModelsDialog) -> None:
    assert not dialog.isModal()
    assert list(dialog.cards) == [STARTER.name, FULL_SIZE.name]


def test_a_card_stays_the_same_while_its_model_changes(dialog: ModelsDialog) -> None:
    card = dialog.cards[FULL_SIZE.name]
    dialog.show_rows(rows(ModelState.INSTALLED))
    assert dialog.cards[FULL_SIZE.name] is card
    assert card.button.text() == "Use"


@pytest.mark.parametrize(
    ("shown", "signal", "sent"),
    [
        (rows(ModelState.ABSENT), "fetch_wanted", [FULL_SIZE.name]),
        (rows(ModelState.PARTIAL), "fetch_wanted", [FULL_SIZE.name]),
        (rows(ModelState.INSTALLED), "use_wanted", [FULL_SIZE.name]),
        (rows(ModelState.ABSENT, task=Task.FETCH), "cancel_wanted", []),
    ],
)
def test_the_button_says_what_is_wanted(
    dialog: ModelsDialog, qtbot: QtBot, shown: tuple[ModelRow, ...], signal: str, sent: list[str]
) -> None:
    dialog.show_rows(shown)
    with qtbot.waitSignal(getattr(dialog, signal)) as wanted:
        dialog.cards[FULL_SIZE.name].button.click()
    assert wanted.args == sent


def test_the_menu_says_what_is_wanted_and_removing_asks_first(dialog: ModelsDialog, qtbot: QtBot) -> None:
    dialog.show_rows(rows(ModelState.INSTALLED))
    card = dialog.cards[FULL_SIZE.name]
    for act, signal in ((card.verify, dialog.verify_wanted), (card.complete, dialog.fetch_wanted)):
        with qtbot.waitSignal(signal) as wanted:
            act.trigger()
        assert wanted.args == [FULL_SIZE.name]
    with qtbot.assertNotEmitted(dialog.remove_wanted):
        card.remove.trigger()
    assert "340 MB" in dialog.banner.label.text()
    with qtbot.assertNotEmitted(dialog.remove_wanted):
        qtbot.keyClick(dialog, Qt.Key.Key_Return)
    with qtbot.waitSignal(dialog.remove_wanted) as wanted:
        dialog.banner.button.click()
    assert wanted.args == [FULL_SIZE.name]


def test_a_failure_can_be_tried_again(dialog: ModelsDialog, qtbot: QtBot) -> None:
    dialog.show_failure(DownloadError("The connection failed.", "Try again."))
    assert dialog.banner.label.text() == "The connection failed. Try again."
    with qtbot.waitSignal(dialog.retry_wanted):
        dialog.banner.button.click()
    assert dialog.banner.isHidden()


def test_a_damaged_model_is_left_to_its_own_button(dialog: ModelsDialog) -> None:
    dialog.show_failure(DamagedModel(Path("model"), "The model is damaged.", "Fetch it again."))
    assert dialog.banner.message is not None
    assert dialog.banner.message.remedy is None
    dialog.show_rows(rows(ModelState.DAMAGED))
    assert dialog.cards[FULL_SIZE.name].button.text() == f"{RowButton.FETCH_AGAIN.value} (355 MB)"


def test_the_unexpected_can_be_copied(dialog: ModelsDialog) -> None:
    dialog.show_failure(ZeroDivisionError("surprise"))
    assert dialog.banner.message is not None
    assert dialog.banner.message.remedy is Remedy.COPY_DETAILS
    dialog.banner.button.click()
    assert "surprise" in QGuiApplication.clipboard().text()


def dropped(dialog: ModelsDialog, urls: list[QUrl], place: QPoint) -> bool:
    data = QMimeData()
    data.setUrls(urls)
    keys, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(place, Qt.DropAction.CopyAction, data, buttons, keys)
    enter.ignore()
    dialog.dragEnterEvent(enter)
    if enter.isAccepted():
        dialog.dropEvent(QDropEvent(QPointF(place), Qt.DropAction.CopyAction, data, buttons, keys))
    return enter.isAccepted()


def test_what_is_dropped_is_imported(dialog: ModelsDialog, qtbot: QtBot, tmp_path: Path) -> None:
    paths = (tmp_path / "a.pth", tmp_path / "voices")
    urls = [QUrl.fromLocalFile(str(path)) for path in paths]
    for place in (QPoint(5, 5), dialog.cards[FULL_SIZE.name].mapTo(dialog, QPoint(9, 9))):
        with qtbot.waitSignal(dialog.import_wanted) as wanted:
            assert dropped(dialog, urls, place)
        assert wanted.args == [paths, FULL_SIZE.name]


def test_what_is_not_on_this_machine_is_not_taken(dialog: ModelsDialog) -> None:
    assert not dropped(dialog, [QUrl("https://example.org/a.pth")], QPoint(5, 5))


@pytest.mark.parametrize("number", [0, 1])
def test_files_and_folders_are_asked_for(dialog: ModelsDialog, qtbot: QtBot, tmp_path: Path, number: int) -> None:
    actions = dialog.import_menu.actions()
    assert all(action.text().startswith(FULL_SIZE.title) for action in actions)
    actions[number].trigger()
    asked = dialog.findChild(QFileDialog)
    assert asked is not None
    with qtbot.waitSignal(dialog.import_wanted) as wanted:
        asked.fileSelected.emit(str(tmp_path))
    asked.reject()
    assert wanted.args == [(tmp_path,), FULL_SIZE.name]


def test_it_can_be_small(dialog: ModelsDialog) -> None:
    dialog.resize(440, 300)
    assert (dialog.width(), dialog.height()) == (440, 300)
