import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from app.diagnostics.runs.bundle_files import read, write
from engine.errors import EngineError
from engine.speech import PlanEvent, SpeechRequest, Utterance
from engine.stages import STAGES
from engine.validator.bundles.bundle import write_bundle
from engine.validator.data.results import (
    AlignmentEvent,
    Finding,
    FinishedEvent,
    InputSource,
    Regime,
    Report,
    RowEvent,
    ValidationEvent,
    ValidationRequest,
)
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder
from tests.app.fake_service import row_of
from tests.engine.validator.reports.example_report import example_report
from tests.starter_voices import MALE

ROWS = tuple(row_of(number) for number in range(2 * len(STAGES)))
REPORT = Report(
    ValidationRequest(SpeechRequest("Hello.", MALE), regimes=(Regime.COMPILED,)),
    (Utterance(0, "Hello.", "aaa", 0, 6),),
    (),
    (Finding("compiled", "decoder", "Something."),),
    {"python": "3.11"},
)


@pytest.fixture(autouse=True)
def _nothing_is_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.report.doctor.examine_installation", tuple)


def written(path: Path, arrays: Path | None = None, report: Report = REPORT) -> Report:
    """Return the report in the file that is written."""
    write(report, iter(ROWS), path, arrays, "", "")
    with zipfile.ZipFile(path) as bundle:
        return Wire().report_from_dict(json.loads(bundle.read("report.json")))


def test_a_report_is_put_together_again(tmp_path: Path) -> None:
    report = written(tmp_path / "a.zip")
    assert report.rows == ROWS
    assert (report.findings, report.versions) == (REPORT.findings, REPORT.versions)


def test_a_run_that_did_not_end_gets_findings_and_versions(tmp_path: Path) -> None:
    report = written(tmp_path / "a.zip", report=Report(REPORT.request, REPORT.utterances, (), (), {}))
    assert "numpy" in report.versions
    assert report.rows == ROWS


def test_everything_is_in_the_file(tmp_path: Path) -> None:
    folder, path = tmp_path / "arrays", tmp_path / "a.zip"
    folder.mkdir()
    for regime in ("dynamic", "compiled"):
        ArrayFolder(folder).save(0, regime, InputSource.END_TO_END, "audio", np.ones((1, 1200), np.float32))
    written(path, folder)
    with zipfile.ZipFile(path) as bundle:
        names = set(bundle.namelist())
        assert {"report.json", "report.html", "arrays.npz", "versions.txt", "doctor.txt"} <= names
        assert any(name.endswith(".wav") for name in names)


def test_arrays_that_have_gone_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    written(path, tmp_path / "gone")
    with zipfile.ZipFile(path) as bundle:
        assert "arrays.npz" not in bundle.namelist()


def test_a_run_is_read_back_as_it_was(tmp_path: Path) -> None:
    for name in ("arrays", "run"):
        (tmp_path / name).mkdir()
    report = example_report(2, frames=6, arrays=ArrayFolder(tmp_path / "arrays"))
    write_bundle(tmp_path / "a.zip", report, ArrayFolder(tmp_path / "arrays"), "", name="Mine", made="2026-11-24")
    events: list[ValidationEvent] = []
    about = read(tmp_path / "a.zip", tmp_path / "run", events.append)
    assert (about.name, about.made, about.request.arrays_folder) == ("Mine", "2026-11-24", str(tmp_path / "run"))
    assert isinstance(events[0], PlanEvent)
    assert [type(event) for event in events[1:3]] == [AlignmentEvent, AlignmentEvent]
    assert tuple(event.row for event in events if isinstance(event, RowEvent)) == report.rows
    assert isinstance(events[-1], FinishedEvent)
    assert events[-1].report.rows == ()


def test_a_file_that_is_not_a_run_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"nothing")
    with pytest.raises(EngineError, match="not an exported diagnosis"):
        read(tmp_path / "a.zip", tmp_path, lambda event: None)
