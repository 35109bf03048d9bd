"""The file of a report, whatever the steps left."""

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from engine.errors import EngineError
from engine.report.archive import MOST_BYTES, REPORT, Report, write_report
from engine.report.privacy import USER, Private
from engine.report.running import Outcome, StepResult

PRIVATE = Private({"/home/anna": "~"}, {"anna": USER})


def written(folder: Path, *results: StepResult, private: Private = PRIVATE) -> zipfile.ZipFile:
    file = io.BytesIO()
    write_report(file, results, folder, private)
    assert file.tell() <= MOST_BYTES
    return zipfile.ZipFile(file)


def left(folder: Path, name: str, content: bytes) -> StepResult:
    """A step that left one file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return StepResult(path.parent.relative_to(folder).as_posix(), Outcome.OK, seconds=1.5)


def report_of(archive: zipfile.ZipFile) -> dict:
    return json.loads(archive.read(REPORT))


def test_every_step_and_its_files_are_named(tmp_path: Path) -> None:
    ok = left(tmp_path, "one/a.json", b"{}")
    failed = StepResult("two", Outcome.FAILED, "anna's disk at /home/anna is full", 2.0)
    archive = written(tmp_path, ok, failed, StepResult("three", Outcome.NOT_HERE, "no Mac"))
    assert report_of(archive)["steps"] == [
        {"name": "one", "outcome": "ok", "reason": "", "seconds": 1.5, "files": ["one/a.json"]},
        {"name": "two", "outcome": "failed", "reason": "<user>'s disk at ~ is full", "seconds": 2.0, "files": []},
        {"name": "three", "outcome": "not here", "reason": "no Mac", "seconds": 0.0, "files": []},
    ]
    assert set(archive.namelist()) == {"one/a.json", REPORT}


def test_text_is_redacted_and_what_cannot_be_is_left_out_and_said(tmp_path: Path) -> None:
    left(tmp_path, "one/a.ips", b"by anna")
    short = Private({"/home/anna": "~"}, {"anna": USER})
    result = left(tmp_path, "one/b.bin", b"\0/home/anna\0")
    archive = written(tmp_path, result, private=short)
    assert archive.read("one/a.ips") == b"by <user>"
    assert list(report_of(archive)["left_out"]) == ["one/b.bin"]
    assert not any(b"anna" in archive.read(name) for name in archive.namelist())


def test_of_a_long_log_the_end_is_kept(tmp_path: Path) -> None:
    lines = b"".join(b"%d\n" % number for number in range(200_000))
    kept = written(tmp_path, left(tmp_path, "one/log.txt", lines)).read("one/log.txt")
    assert len(kept) < len(lines) / 2
    first, *rest = kept.splitlines()
    assert b"left out" in first
    assert rest == lines.splitlines()[-len(rest) :]


def test_what_is_too_large_is_left_out_and_said(tmp_path: Path) -> None:
    left(tmp_path, "one/large.json", json.dumps(os.urandom(2_000_000).hex()).encode())
    result = left(tmp_path, "one/small.json", b"{}")
    archive = written(tmp_path, result)
    assert report_of(archive)["steps"][0]["files"] == ["one/small.json"]
    assert "too large" in report_of(archive)["left_out"]["one/large.json"]


def test_all_together_is_small_enough_to_send(tmp_path: Path) -> None:
    results = [left(tmp_path, f"step-{number}/a.bin", os.urandom(1_000_000)) for number in range(14)]
    report = report_of(written(tmp_path, *results))
    assert len(report["left_out"]) > 3
    assert sum(len(step["files"]) for step in report["steps"]) == len(results) - len(report["left_out"])


def zipped(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no zip",
        zipped(other_json=b"{}"),
        zipped(report_json=b"{"),
        zipped(report_json=b"[]"),
        zipped(report_json=b"null"),
        zipped(report_json=b'{"format": "another"}'),
        zipped(report_json=b'{"format": "Kokoro Desk report 1", "steps": [{}], "left_out": {}}'),
        zipped(report_json=b'{"format": "Kokoro Desk report 1", "steps": [], "left_out": []}'),
        zipped(
            report_json=b'{"format": "Kokoro Desk report 1", "left_out": {}, '
            b'"steps": [{"name": "a", "outcome": "well", "reason": "", "seconds": 1}]}'
        ),
        zipped(report_json=b" " * 60_000_000),
        zipped(report_json=b"[" * 100_000),
        zipped(report_json=os.urandom(5_000)).replace(b"report.json", b"report.jsom"),
    ],
)
def test_a_file_that_is_no_report_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "F.zip"
    path.write_bytes(content)
    with pytest.raises(EngineError, match="no report"):
        Report(path)


@pytest.mark.parametrize("place", [".", "none.zip"])
def test_a_place_without_a_file_is_refused_too(tmp_path: Path, place: str) -> None:
    with pytest.raises(EngineError, match="no report"):
        Report(tmp_path / place)
