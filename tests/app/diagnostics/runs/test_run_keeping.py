"""Tests of exporting, opening and naming runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QInputDialog
from pytestqt.qtbot import QtBot

from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.run_folders import RunFolders
from app.diagnostics.runs.run_keeping import PINNED, RunFileActions
from engine.system.paths import data_folder
from engine.validator.data.results import Regime
from tests.app.diagnostics_fakes import finished_run
from tests.patience import PATIENCE_MS


class Desk:
    """The panel of one session."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.folders = RunFolders(folder / "cache")
        self.panel = DiagnosticsPanel()
        qtbot.addWidget(self.panel)
        self.panel.export_folder = folder
        self.keeping = RunFileActions(self.panel, self.folders)
        self.message_sent: list[str] = []
        self.failures: list[Exception] = []
        self.keeping.message_sent.connect(self.message_sent.append)
        self.keeping.failed.connect(self.failures.append)
        self.panel.show()

    def close(self) -> None:
        self.keeping.shut_down(PATIENCE_MS)
        self.folders.close()


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(qtbot, tmp_path)
    yield made
    made.close()


def test_a_run_is_renamed_in_a_dialog(desk: Desk) -> None:
    run = finished_run()
    desk.panel.show_run(run)
    desk.keeping.rename.trigger()
    dialog = desk.panel.findChild(QInputDialog)
    assert dialog.textValue() == desk.panel.history.of(run).name
    dialog.textValueSelected.emit("Before the change")
    dialog.reject()
    assert desk.panel.to_show.run.currentText().endswith("Before the change")


def test_an_exported_run_opens_with_its_name_in_a_new_session(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    run = finished_run((Regime.UPSTREAM, Regime.COMPILED))
    desk.panel.show_run(run)
    desk.keeping.give_name(run, "Before")
    desk.keeping.export.trigger()
    dialog = desk.panel.findChild(QFileDialog)
    (path,) = map(Path, dialog.selectedFiles())
    assert path == tmp_path / "The window is open Everything happens.zip"
    dialog.accept()
    assert desk.keeping.active
    qtbot.waitUntil(lambda: bool(desk.message_sent or desk.failures))
    assert (desk.message_sent, desk.failures) == ([f"Exported {path.name} to {tmp_path}"], [])
    later = Desk(qtbot, tmp_path)
    later.keeping.open_file(path)
    qtbot.waitUntil(lambda: later.panel.run is not None or bool(later.failures))
    assert later.failures == []
    again = later.panel.run
    assert again.report.rows == run.report_so_far.rows
    assert later.panel.history.of(again).name == "Before"
    later.close()


def test_a_file_being_opened_stays_reported_when_a_second_is_refused(desk: Desk, tmp_path: Path) -> None:
    label = desk.panel.status.label
    desk.keeping.open_file(tmp_path / "one.zip")
    words = label.accessibleDescription()
    desk.keeping.open_file(tmp_path / "other.zip")
    assert len(desk.failures) == 1
    assert label.accessibleDescription() == words


def test_a_file_that_is_not_a_run_is_reported(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "photo.zip").write_bytes(b"no archive")
    desk.keeping.open.trigger()
    desk.panel.findChild(QFileDialog).fileSelected.emit(str(tmp_path / "photo.zip"))
    desk.qtbot.waitUntil(lambda: bool(desk.failures))
    assert "Couldn’t open photo.zip." in str(desk.failures[0])
    assert desk.panel.run is None


def test_runs_that_were_pinned_with_earlier_versions_are_found(desk: Desk) -> None:
    pinned = data_folder() / PINNED
    pinned.mkdir(parents=True)
    desk.keeping.open.trigger()
    assert Path(desk.panel.findChild(QFileDialog).directory().path()) == pinned
    pinned.rmdir()


def test_nothing_can_be_exported_or_named_before_there_is_a_run(desk: Desk) -> None:
    assert not desk.keeping.export.isEnabled()
    assert not desk.keeping.rename.isEnabled()
    assert desk.keeping.open.isEnabled()
