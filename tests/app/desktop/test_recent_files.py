from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from app.desktop.recent_files import FILES_KEPT, RecentFiles
from app.main_menu import MainMenu
from app.settings import Settings


class Desk:
    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.menu = MainMenu()
        qtbot.addWidget(self.menu)
        self.settings = Settings(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat))
        self.files = RecentFiles(self.menu, self.settings)
        self.chosen: list[Path] = []
        self.missing: list[Path] = []
        self.files.chosen.connect(self.chosen.append)
        self.files.missing.connect(self.missing.append)

    @property
    def titles(self) -> list[str]:
        self.menu.recent_files_menu.aboutToShow.emit()
        return [action.text() for action in self.menu.recent_files_menu.actions() if action.text()]

    def choose(self, index: int) -> None:
        self.menu.recent_files_menu.aboutToShow.emit()
        self.menu.recent_files_menu.actions()[index].trigger()


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Desk:
    return Desk(qtbot, tmp_path)


def test_the_latest_is_first_and_only_once(desk: Desk, tmp_path: Path) -> None:
    assert desk.titles == ["No Files Yet"]
    for name in ("a.txt", "b & c.txt", "a.txt"):
        desk.files.remember(tmp_path / name)
    assert desk.titles == ["a.txt", "b && c.txt", "Clear List"]
    assert desk.settings.recent_files == [tmp_path / "a.txt", tmp_path / "b & c.txt"]


def test_files_of_the_same_name_are_told_apart(desk: Desk, tmp_path: Path) -> None:
    desk.files.remember(tmp_path / "one" / "a.txt")
    desk.files.remember(tmp_path / "two" / "a.txt")
    assert [title[:7] for title in desk.titles[:2]] == ["a.txt (", "a.txt ("]
    assert [title[-5:] for title in desk.titles[:2]] == ["/two)", "/one)"]


def test_a_long_name_is_shortened_in_the_menu(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / f"{'name' * 50} & more.txt"
    desk.files.remember(path)
    title = desk.titles[0]
    assert desk.menu.fontMetrics().horizontalAdvance(title) < 550
    assert title.startswith("name")
    assert title.endswith(" && more.txt")
    assert desk.menu.recent_files_menu.actions()[0].toolTip() == str(path)


def test_only_some_are_kept(desk: Desk, tmp_path: Path) -> None:
    for number in range(FILES_KEPT + 3):
        desk.files.remember(tmp_path / f"{number}.txt")
    assert len(desk.settings.recent_files) == FILES_KEPT
    assert desk.titles[0] == f"{FILES_KEPT + 2}.txt"


def test_one_that_is_there_is_opened_and_one_that_is_gone_dropped(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "here.txt").write_text("Here.")
    desk.files.remember(tmp_path / "gone.txt")
    desk.files.remember(tmp_path / "here.txt")
    desk.choose(0)
    assert (desk.chosen, desk.missing) == ([tmp_path / "here.txt"], [])
    desk.choose(1)
    assert (desk.chosen, desk.missing) == ([tmp_path / "here.txt"], [tmp_path / "gone.txt"])
    assert desk.titles == ["here.txt", "Clear List"]


def test_the_list_can_be_cleared(desk: Desk, tmp_path: Path) -> None:
    desk.files.remember(tmp_path / "a.txt")
    desk.choose(-1)
    assert desk.titles == ["No Files Yet"]
    assert desk.settings.recent_files == []
    assert not desk.chosen


def test_it_is_there_again_at_the_next_start(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    desk.files.remember(tmp_path / "a.txt")
    assert Desk(qtbot, tmp_path).titles == ["a.txt", "Clear List"]
