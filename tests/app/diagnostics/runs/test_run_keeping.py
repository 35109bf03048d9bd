"""Naming, pinning and opening runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QInputDialog
from pytestqt.qtbot import QtBot

from app.diagnostics.panel import DiagnosticsPanel
from app.diagnostics.runs.pinned_runs import PinnedRuns
from app.diagnostics.runs.run_folders import RunFolders
from app.diagnostics.runs.run_keeping import PIN, UNPIN, RunKeeping
from engine.errors import EngineError
from engine.validator.data.results import Regime
from tests.app.diagnostics_fakes import finished_run
from tests.patience import PATIENCE_MS


class Desk:
    """A panel of one session, with pinned runs that other sessions have too."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.folders = RunFolders(folder / "cache")
        self.panel = DiagnosticsPanel()
        qtbot.addWidget(self.panel)
        self.pins = PinnedRuns(folder / "pins")
        self.keeping = RunKeeping(self.panel, self.folders, self.pins)
        self.told: list[str] = []
        self.failures: list[Exception] = []
        self.keeping.told.connect(self.told.append)
        self.keeping.failed.connect(self.failures.append)
        self.panel.show()

    def wait_for_pin(self) -> None:
        self.qtbot.waitUntil(lambda: bool(self.told or self.failures))

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
    assert desk.panel.controls.to_show.run.currentText().endswith("Before the change")


def test_a_pinned_run_survives_a_restart(desk: Desk, qtbot: QtBot, tmp_path: Path) -> None:
    run = finished_run((Regime.UPSTREAM, Regime.COMPILED))
    desk.panel.show_run(run)
    desk.keeping.give_name(run, "Before")
    assert desk.keeping.pin.text() == PIN
    desk.keeping.pin.trigger()
    desk.wait_for_pin()
    assert (desk.told, desk.failures) == (["Pinned Before"], [])
    assert desk.keeping.pin.text() == UNPIN
    desk.keeping.give_name(run, "After")
    later = Desk(qtbot, tmp_path)
    later.keeping.pinned.aboutToShow.emit()
    (entry,) = later.keeping.pinned.actions()
    assert entry.text() == "After"
    entry.trigger()
    qtbot.waitUntil(lambda: later.panel.run is not None or bool(later.failures))
    assert later.failures == []
    again = later.panel.run
    assert again is not None
    assert again.report is not None
    assert again.report.rows == run.report_so_far.rows
    assert later.panel.history.of(again).name == "After"
    later.keeping.pin.trigger()
    assert later.pins.paths() == ()
    assert later.keeping.pin.text() == PIN
    later.close()


def test_a_file_that_cannot_be_opened_does_not_end_pinning(desk: Desk) -> None:
    run = finished_run()
    desk.panel.show_run(run)
    desk.keeping.pin.trigger()
    label = desk.panel.controls.status.label
    words = label.accessibleDescription()
    desk.keeping.opening.failed.emit(EngineError("It is damaged."))
    assert label.accessibleDescription() == words
    path = desk.pins.new_path("First")
    desk.keeping.export.exported.emit(path)
    assert desk.panel.history.of(run).pinned == path
    assert desk.told


def test_a_file_that_is_being_opened_is_told_on_when_another_is_refused(desk: Desk, tmp_path: Path) -> None:
    label = desk.panel.controls.status.label
    desk.keeping.open_file(tmp_path / "one.zip")
    words = label.accessibleDescription()
    desk.keeping.open_file(tmp_path / "another.zip")
    assert len(desk.failures) == 1
    assert label.accessibleDescription() == words


def test_a_run_that_is_being_pinned_is_not_pinned_again(desk: Desk) -> None:
    run = finished_run()
    desk.panel.show_run(run)
    desk.keeping.pin.trigger()
    assert not desk.keeping.pin.isEnabled()
    desk.keeping.pin.trigger()
    assert desk.failures == []
    path = desk.pins.new_path("First")
    desk.keeping.export.exported.emit(path)
    assert desk.panel.history.of(run).pinned == path


def test_a_pinned_run_that_is_open_is_only_shown(desk: Desk) -> None:
    first, second = finished_run(), finished_run()
    desk.panel.show_run(first)
    path = desk.pins.new_path("First")
    desk.panel.history.pin(first, path)
    desk.panel.show_run(second)
    desk.keeping.open_file(path)
    assert desk.panel.run is first
    assert not desk.keeping.opening.active


def test_a_file_that_is_none_is_told(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "photo.zip").write_bytes(b"no archive")
    desk.keeping.open.trigger()
    desk.panel.findChild(QFileDialog).fileSelected.emit(str(tmp_path / "photo.zip"))
    desk.wait_for_pin()
    assert "photo.zip was not opened." in str(desk.failures[0])
    assert desk.panel.run is None


def test_nothing_can_be_pinned_before_there_is_a_run(desk: Desk) -> None:
    assert not desk.keeping.pin.isEnabled()
    assert not desk.keeping.rename.isEnabled()
    assert desk.keeping.open.isEnabled()
    desk.keeping.pinned.aboutToShow.emit()
    assert [action.isEnabled() for action in desk.keeping.pinned.actions()] == [False]
