import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from app.diagnostics.runs.bundle_files import main, read_report
from engine.errors import InvalidRequest
from engine.speech import PlanEvent, SpeechRequest, Utterance
from engine.stages import STAGES
from engine.validator.bundles.bundle import write_bundle
from engine.validator.data.results import (
    AlignmentEvent,
    Finding,
    FinishedEvent,
    Reading,
    Regime,
    Report,
    RowEvent,
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


def lines_of(report: Report) -> list[str]:
    wire = Wire()
    return [wire.encode(FinishedEvent(report)), *(wire.encode(RowEvent(row)) for row in ROWS)]


def test_a_report_is_put_together_again() -> None:
    read = read_report(lines_of(REPORT))
    assert read.rows == ROWS
    assert read.findings == REPORT.findings
    assert read.versions == REPORT.versions


def test_a_run_that_did_not_end_gets_findings_and_versions() -> None:
    read = read_report(lines_of(Report(REPORT.request, REPORT.utterances, (), (), {})))
    assert "numpy" in read.versions
    assert read.rows == ROWS


def test_nothing_is_said_in_a_sentence() -> None:
    with pytest.raises(InvalidRequest, match="nothing to export"):
        read_report([])


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines_of(REPORT))))
    monkeypatch.setattr("engine.report.doctor.examine_installation", tuple)


def test_everything_is_in_the_file(told: None, tmp_path: Path) -> None:
    folder, path = tmp_path / "arrays", tmp_path / "a.zip"
    folder.mkdir()
    for regime in ("dynamic", "compiled"):
        ArrayFolder(folder).save(0, regime, Reading.OWN_FED, "audio", np.ones((1, 1200), np.float32))
    assert main(["write", str(path), str(folder)]) == 0
    with zipfile.ZipFile(path) as bundle:
        names = set(bundle.namelist())
        assert {"report.json", "report.html", "arrays.npz", "versions.txt", "doctor.txt"} <= names
        assert any(name.endswith(".wav") for name in names)
        written = Wire().report_from_dict(json.loads(bundle.read("report.json")))
    assert written.rows == ROWS


def test_arrays_that_have_gone_are_left_out(told: None, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    assert main(["write", str(path), str(tmp_path / "gone")]) == 0
    with zipfile.ZipFile(path) as bundle:
        assert "arrays.npz" not in bundle.namelist()


def test_a_failure_is_one_sentence(told: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["write", str(tmp_path / "none" / "a.zip")]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Traceback" not in said


def test_a_run_is_told_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("arrays", "run"):
        (tmp_path / name).mkdir()
    report = example_report(2, frames=6, arrays=ArrayFolder(tmp_path / "arrays"))
    write_bundle(tmp_path / "a.zip", report, ArrayFolder(tmp_path / "arrays"), "", name="Mine", made="2026-11-24")
    assert main(["read", str(tmp_path / "a.zip"), str(tmp_path / "run")]) == 0
    about, request, *told = capsys.readouterr().out.splitlines()
    assert json.loads(about) == {"name": "Mine", "made": "2026-11-24"}
    assert Wire().decode_request(request).arrays_folder == str(tmp_path / "run")
    events = [Wire().decode(line) for line in told]
    assert isinstance(events[0], PlanEvent)
    assert [type(event) for event in events[1:3]] == [AlignmentEvent, AlignmentEvent]
    assert tuple(event.row for event in events if isinstance(event, RowEvent)) == report.rows
    assert isinstance(events[-1], FinishedEvent)
    assert events[-1].report.rows == ()


def test_a_file_that_is_none_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.zip").write_bytes(b"nothing")
    assert main(["read", str(tmp_path / "a.zip"), str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert "not an exported diagnosis" in told.err
