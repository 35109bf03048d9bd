"""The process that reads exported diagnoses."""

import json
from pathlib import Path

import pytest

from app.diagnostics.runs.bundle_reader import main
from engine.speech import PlanEvent
from engine.validator.bundles.bundle import write_bundle
from engine.validator.data.results import AlignmentEvent, FinishedEvent, RowEvent
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder
from tests.engine.validator.reports.example_report import example_report


def test_a_run_is_told_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("arrays", "run"):
        (tmp_path / name).mkdir()
    report = example_report(2, frames=6, arrays=ArrayFolder(tmp_path / "arrays"))
    write_bundle(tmp_path / "a.zip", report, ArrayFolder(tmp_path / "arrays"), "", name="Mine", made="2026-11-24")
    assert main([str(tmp_path / "a.zip"), str(tmp_path / "run")]) == 0
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
    assert main([str(tmp_path / "a.zip"), str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert "not an exported diagnosis" in told.err
