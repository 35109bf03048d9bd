"""Opening exported diagnoses in the background."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.bundle_opening import BundleOpening, OpenedRun
from app.diagnostics.runs.run import RunState
from app.diagnostics.runs.run_folders import RunFolders
from engine.errors import EngineError
from engine.validator.bundles.bundle import write_bundle
from engine.validator.data.results import Reading, Report
from engine.validator.runs.arrays import ArrayFolder
from tests.engine.validator.reports.example_report import example_report
from tests.patience import PATIENCE_MS


class Opener:
    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.folders = RunFolders(folder / "cache")
        self.opening = BundleOpening(self.folders)
        self.opened: list[OpenedRun] = []
        self.failures: list[EngineError] = []
        self.opening.opened.connect(self.opened.append)
        self.opening.failed.connect(self.failures.append)

    def open(self, path: Path) -> None:
        self.opening.open(path)
        self.qtbot.waitUntil(lambda: bool(self.opened or self.failures))


@pytest.fixture
def opener(qtbot: QtBot, tmp_path: Path) -> Iterator[Opener]:
    made = Opener(qtbot, tmp_path)
    yield made
    made.opening.shut_down(PATIENCE_MS)
    made.folders.close()


def exported(folder: Path, name: str = "", made: str = "") -> tuple[Path, Report]:
    arrays = ArrayFolder(folder / "arrays")
    arrays.path.mkdir()
    report = example_report(2, frames=6, arrays=arrays)
    write_bundle(folder / "theirs.zip", report, arrays, "", name=name, made=made)
    return folder / "theirs.zip", report


def test_a_file_becomes_a_run_with_its_arrays(opener: Opener, tmp_path: Path) -> None:
    path, report = exported(tmp_path, "Before the change", "2026-11-24T14:02:00+00:00")
    opener.open(path)
    assert opener.failures == []
    (opened,) = opener.opened
    run = opened.run
    assert (opened.name, opened.path) == ("Before the change", path)
    assert run.state is RunState.FINISHED
    assert (run.started.hour, run.started.minute) == (14, 2)
    assert run.report is not None
    assert run.report.rows == report.rows
    assert sum(run.alignment(1)) == 6
    assert run.arrays is not None
    assert run.arrays.load(0, "compiled", Reading.OWN_FED, "audio").shape[0] == 1


def test_a_file_without_a_name_is_named_by_its_own(opener: Opener, tmp_path: Path) -> None:
    path, _ = exported(tmp_path)
    opener.open(path)
    assert opener.opened[0].name == "theirs"


def test_a_damaged_file_is_told_in_a_sentence_and_leaves_nothing(opener: Opener, tmp_path: Path) -> None:
    path, _ = exported(tmp_path)
    path.write_bytes(path.read_bytes()[:5000])
    opener.open(path)
    assert opener.opened == []
    assert "theirs.zip was not opened." in str(opener.failures[0])
    assert "damaged or not an exported diagnosis" in str(opener.failures[0])
    opener.folders.close()
    assert not [found for found in (tmp_path / "cache").rglob("*") if found.is_file()]


def test_one_file_at_a_time(opener: Opener, tmp_path: Path) -> None:
    path, _ = exported(tmp_path)
    opener.opening.open(path)
    opener.opening.open(path)
    assert "Another diagnosis is being opened" in str(opener.failures[0])
