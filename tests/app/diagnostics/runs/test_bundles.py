import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.runs import run_keeping
from app.diagnostics.runs.run import DiagnosticsRun, RunState
from app.diagnostics.runs.run_folders import RunFolders
from app.diagnostics.runs.run_keeping import BundleExport, BundleOpening
from engine.errors import EngineError, InvalidRequest, OutputError
from engine.models.checkpoints import STARTER, model_config
from engine.speech import Plan, PlanEvent, SpeechRequest, Utterance
from engine.system.remote import decoded
from engine.validator.bundles.bundle import write_bundle
from engine.validator.data.results import (
    Finding,
    FinishedEvent,
    InputSource,
    Regime,
    Report,
    Row,
    RowEvent,
    ValidationRequest,
)
from engine.validator.runs.arrays import ArrayFolder
from tests.app import stand_in_commands
from tests.app.fake_service import row_of
from tests.engine.validator.reports.example_report import example_report
from tests.patience import PATIENCE_MS
from tests.starter_voices import MALE


def run_of(row_count: int, folder: Path | None = None) -> DiagnosticsRun:
    request = ValidationRequest(SpeechRequest("Hello.", MALE), regimes=(Regime.COMPILED,))
    if folder is not None:
        request = ValidationRequest(request.speech, regimes=request.regimes, arrays_folder=str(folder))
    run = DiagnosticsRun(request, model_config(STARTER))
    run.handle_event(PlanEvent(Plan((Utterance(0, "Hello.", "aaa", 0, 6),))))
    for number in range(row_count):
        run.handle_event(RowEvent(row_of(number)))
    return run


class Exporter:
    """An export by a function that the test provides."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.export = BundleExport()
        self.exported: list[Path] = []
        self.failures: list[Exception] = []
        self.export.exported.connect(self.exported.append)
        self.export.failed.connect(self.failures.append)

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: bool(self.exported or self.failures))


@pytest.fixture
def exporter(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Exporter]:
    monkeypatch.setattr(run_keeping, "write", stand_in_commands.copies)
    made = Exporter(qtbot)
    yield made
    made.export.shut_down(PATIENCE_MS)


def test_a_finished_run_is_handed_over_whole(exporter: Exporter, tmp_path: Path) -> None:
    run = run_of(16)
    rows = tuple(row_of(number) for number in range(16))
    finding = Finding("compiled", "decoder", "Something.")
    run.handle_event(FinishedEvent(Report(run.request, run.utterances, rows, (finding,), {"python": "3"})))
    exporter.export.export(run, tmp_path / "a.zip")
    exporter.wait()
    assert exporter.exported == [tmp_path / "a.zip"]
    _, report, *came = (tmp_path / "a.zip").read_text().splitlines()
    assert (
        replace(decoded(json.loads(report), Report), rows=tuple(decoded(json.loads(row), Row) for row in came))
        == run.report
    )


def test_a_run_in_progress_is_exported_up_to_its_current_state(exporter: Exporter, tmp_path: Path) -> None:
    exporter.export.export(run_of(3, tmp_path), tmp_path / "a.zip")
    exporter.wait()
    folder, _, *rows = (tmp_path / "a.zip").read_text().splitlines()
    assert (folder, len(rows)) == (str(tmp_path), 3)


def test_one_at_a_time(exporter: Exporter, tmp_path: Path) -> None:
    exporter.export.export(run_of(1), tmp_path / "a.zip")
    exporter.export.export(run_of(1), tmp_path / "b.zip")
    assert isinstance(exporter.failures[0], InvalidRequest)
    exporter.qtbot.waitUntil(lambda: bool(exporter.exported))
    exporter.export.export(run_of(1), tmp_path / "c.zip")
    exporter.qtbot.waitUntil(lambda: len(exporter.exported) == 2)
    assert exporter.exported == [tmp_path / "a.zip", tmp_path / "c.zip"]


def test_a_failure_repeats_the_message_of_the_writer(
    exporter: Exporter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_keeping, "write", stand_in_commands.is_full)
    exporter.export.export(run_of(2), tmp_path / "a.zip")
    exporter.wait()
    assert isinstance(exporter.failures[0], OutputError)
    assert str(exporter.failures[0]) == "Couldn’t export a.zip. The disk is full after 2 rows. Make room."


def test_a_writer_that_cannot_be_started(exporter: Exporter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    exporter.export.export(run_of(1), tmp_path / "a.zip")
    exporter.wait()
    assert isinstance(exporter.failures[0], OutputError)
    assert not exporter.export.active


def test_shutting_down_ends_it(exporter: Exporter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_keeping, "write", stand_in_commands.is_stuck)
    exporter.export.export(run_of(1), tmp_path / "a.zip")
    exporter.export.shut_down(PATIENCE_MS)
    exporter.qtbot.waitUntil(lambda: not exporter.export.active)
    assert not exporter.failures


class Opener:
    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.folders = RunFolders(folder / "cache")
        self.opening = BundleOpening(self.folders)
        self.opened: list[tuple[DiagnosticsRun, str]] = []
        self.failures: list[EngineError] = []
        self.opening.opened.connect(lambda run, name: self.opened.append((run, name)))
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


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Report]:
    """A named diagnosis with arrays in a file."""
    folder = tmp_path_factory.mktemp("theirs")
    arrays = ArrayFolder(folder / "arrays")
    arrays.path.mkdir()
    report = example_report(2, frames=6, arrays=arrays)
    made = "2026-11-24T14:02:00+00:00"
    write_bundle(folder / "theirs.zip", report, arrays, "", name="Before the change", made=made)
    return folder / "theirs.zip", report


def test_a_file_becomes_a_run_with_its_arrays(opener: Opener, theirs: tuple[Path, Report]) -> None:
    path, report = theirs
    opener.open(path)
    assert opener.failures == []
    ((run, name),) = opener.opened
    assert name == "Before the change"
    assert run.state is RunState.FINISHED
    assert (run.started.hour, run.started.minute) == (14, 2)
    assert run.report.rows == report.rows
    assert sum(run.alignment(1)) == 6
    assert run.arrays.load(0, "compiled", InputSource.END_TO_END, "audio").shape[0] == 1


def test_a_file_without_a_name_is_named_by_its_own(opener: Opener, tmp_path: Path) -> None:
    write_bundle(tmp_path / "mine.zip", example_report(0), None, "", name="", made="")
    opener.open(tmp_path / "mine.zip")
    assert opener.opened[0][1] == "mine"


def test_a_damaged_file_is_reported_in_a_sentence_and_leaves_nothing(
    opener: Opener, theirs: tuple[Path, Report], tmp_path: Path
) -> None:
    (tmp_path / "half.zip").write_bytes(theirs[0].read_bytes()[:5000])
    opener.open(tmp_path / "half.zip")
    assert opener.opened == []
    assert "half.zip" in str(opener.failures[0])
    assert "damaged" in str(opener.failures[0])
    opener.folders.close()
    assert not [found for found in (tmp_path / "cache").rglob("*") if found.is_file()]


def test_one_file_at_a_time(opener: Opener, theirs: tuple[Path, Report]) -> None:
    path, _ = theirs
    opener.opening.open(path)
    opener.opening.open(path)
    assert "already" in str(opener.failures[0])
