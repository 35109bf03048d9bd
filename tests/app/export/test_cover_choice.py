from pathlib import Path

from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.export.cover_choice import CoverChoice
from tests.app.export.test_dialog import picture


def test_a_picture_can_be_chosen_and_removed(qtbot: QtBot, tmp_path: Path) -> None:
    choice = CoverChoice(None)
    qtbot.addWidget(choice)
    assert not choice.remove_button.isEnabled()
    (tmp_path / "a.png").write_bytes(picture())
    choice.choose_button.click()
    chooser = choice.findChild(QFileDialog)
    assert chooser is not None
    chooser.fileSelected.emit(str(tmp_path / "a.png"))
    assert choice.picture == picture()
    choice.remove_button.click()
    assert choice.picture is None


def test_a_non_picture_file_is_refused_and_the_cover_stays(qtbot: QtBot, tmp_path: Path) -> None:
    choice = CoverChoice(picture())
    qtbot.addWidget(choice)
    (tmp_path / "a.png").write_text("text")
    with qtbot.waitSignal(choice.refused) as refused:
        choice.use_picture(tmp_path / "a.png")
    assert "neither JPEG nor PNG" in refused.args[0]
    assert choice.picture == picture()
