"""Tests of a report's file, for any results of the steps."""

import getpass
import io
import json
import os
import unicodedata
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest

from engine.benchmark.estimate.report import to_dict as estimated_as_dict
from engine.benchmark.report import to_dict as measured_as_dict
from engine.errors import EngineError
from engine.models.checkpoints import FULL_SIZE, STARTER
from engine.report.archive import MAX_BYTES, REPORT, ReportFile, write_report
from engine.report.privacy import HOME, HOST, USER, VOICE, Private
from engine.report.reading import summary_lines
from engine.report.running import StepOutcome, StepResult
from engine.report.steps import FIGURES, FIRST_START, WAYS, benchmark, estimate
from tests.engine.benchmark.estimate.example_work import estimate as example_estimate
from tests.engine.benchmark.example_measurement import measurement

PRIVATE = Private({"/home/anna": "~"}, {"anna": USER})


def written(folder: Path, *results: StepResult, private: Private = PRIVATE) -> zipfile.ZipFile:
    file = io.BytesIO()
    write_report(file, results, folder, private)
    assert file.tell() <= MAX_BYTES
    return zipfile.ZipFile(file)


def left(folder: Path, name: str, content: bytes) -> StepResult:
    """Return the result of a step that left one file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return StepResult(path.parent.relative_to(folder).as_posix(), StepOutcome.OK, seconds=1.5)


def report_of(archive: zipfile.ZipFile) -> dict:
    return json.loads(archive.read(REPORT))


def test_every_step_and_its_files_are_named(tmp_path: Path) -> None:
    ok = left(tmp_path, "one/a.json", b"{}")
    failed = StepResult("two", StepOutcome.FAILED, "anna's disk at /home/anna is full", 2.0)
    archive = written(tmp_path, ok, failed, StepResult("three", StepOutcome.NOT_HERE, "no Mac"))
    assert report_of(archive)["steps"] == [
        {"name": "one", "outcome": "ok", "reason": "", "seconds": 1.5, "files": ["one/a.json"]},
        {"name": "two", "outcome": "failed", "reason": "<user>'s disk at ~ is full", "seconds": 2.0, "files": []},
        {"name": "three", "outcome": "not here", "reason": "no Mac", "seconds": 0.0, "files": []},
    ]
    assert set(archive.namelist()) == {"one/a.json", REPORT}


def test_text_is_redacted_and_unredactable_files_are_omitted_and_listed(tmp_path: Path) -> None:
    left(tmp_path, "one/a.ips", b"by anna")
    short = Private({"/home/anna": "~"}, {"anna": USER})
    result = left(tmp_path, "one/b.bin", b"\0/home/anna\0")
    archive = written(tmp_path, result, private=short)
    assert archive.read("one/a.ips") == b"by <user>"
    assert list(report_of(archive)["left_out"]) == ["one/b.bin"]
    assert not any(b"anna" in archive.read(name) for name in archive.namelist())


def test_a_long_log_is_truncated_to_its_end(tmp_path: Path) -> None:
    lines = b"".join(b"%d\n" % number for number in range(200_000))
    kept = written(tmp_path, left(tmp_path, "one/log.txt", lines)).read("one/log.txt")
    assert len(kept) < len(lines) / 2
    first, *rest = kept.splitlines()
    assert b"are left out" in first
    assert rest == lines.splitlines()[-len(rest) :]


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
        zipped(report_json=b'{"format": "other"}'),
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
    with pytest.raises(EngineError, match="a readable report"):
        ReportFile(path)


@pytest.mark.parametrize("place", [".", "none.zip"])
def test_a_place_without_a_file_is_refused_too(tmp_path: Path, place: str) -> None:
    with pytest.raises(EngineError, match="a readable report"):
        ReportFile(tmp_path / place)


HOME_FOLDER, NAME, MACHINE = "/Users/jürgen", "jürgen", "Jürgens-MacBook"
SECRETS = Private({HOME_FOLDER: HOME}, {NAME: USER, "Müller": USER, MACHINE: HOST, "My Voice": VOICE, "vm": HOST})


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"{HOME_FOLDER}/a.txt", "~/a.txt"),
        (f"file://{quote(HOME_FOLDER)}/a.txt", "file://~/a.txt"),
        (json.dumps({"path": f"{HOME_FOLDER}/a.txt"}), '{"path": "~/a.txt"}'),
        (unicodedata.normalize("NFD", f"{HOME_FOLDER}/a"), "~/a"),
        ("JÜRGEN MÜLLER's AirPods", "<user> <user>'s AirPods"),
        (f"on {MACHINE}.local", "on <host>.local"),
        ("Python_jürgen_1.ips", "Python_<user>_1.ips"),
        ("blend my voice", "blend <voice>"),
        ("Jürgensen and vmstat", "Jürgensen and vmstat"),
    ],
)
def test_private_data_is_redacted_from_text(text: str, redacted: str) -> None:
    assert SECRETS.redacted(text.encode()) == redacted.encode()


@pytest.mark.parametrize("private", [HOME_FOLDER, NAME, MACHINE])
def test_a_binary_file_with_private_data_is_refused(private: str) -> None:
    assert SECRETS.redacted(b"\x89PNG\0" + private.encode() + b"\0") is None


def test_the_key_of_a_machine_goes_from_crash_reports() -> None:
    assert SECRETS.redacted(b'{"crashReporterKey" : "AB12", "pid" : 3}') == b'{"crashReporterKey" : "", "pid" : 3}'


def test_of_this_machine_the_home_folder_and_the_user_are_known() -> None:
    private = Private.here({"/tmp/of-the-report": "<report>"})
    assert private.words(f"{Path.home()}/a /tmp/of-the-report/b") == "~/a <report>/b"
    assert private.words(f"by {getpass.getuser()}.") == "by <user>."


def test_a_user_without_a_name_has_a_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("no such user")

    monkeypatch.setattr("engine.report.privacy.getpass.getuser", nobody)
    assert Private.here({}).words(f"{Path.home()}/a") == "~/a"


CPU, TIR, MPS = WAYS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "steps"


def left_by(folder: Path, step: str, content: object, name: str = FIGURES) -> StepResult:
    (folder / step).mkdir(parents=True)
    (folder / step / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return StepResult(step, StepOutcome.OK, seconds=60)


def lines(folder: Path, *results: StepResult) -> list[str]:
    path = folder.parent / "F.zip"
    with path.open("wb") as file:
        write_report(file, results, folder, Private())
    return list(summary_lines(ReportFile(path)))


def timed() -> dict:
    """Return a benchmark of one length."""
    values = measured_as_dict(measurement())
    return values | {"lengths": values["lengths"][:1]}


def test_the_summary_starts_with_the_machine_and_failures(folder: Path) -> None:
    said = lines(
        folder,
        left_by(folder, "system", '{"chip": "Apple M9", "memory_bytes": 8589934592}\n', "findings.jsonl"),
        StepResult("kernels", StepOutcome.FAILED, "3 of 384 failed; the first: no type", 30),
        StepResult("quarantine", StepOutcome.NOT_HERE, "not on this system"),
    )
    assert said[0].startswith("Apple M9, 8 GB")
    assert said[1].startswith("1 failed, 1 ok, 1 not available; 1.5 minutes")
    assert said[2] == "FAILED kernels: 3 of 384 failed; the first: no type"
    assert "not here: quarantine: not on this system" in said[3:]


def test_the_first_start_is_timed(folder: Path) -> None:
    said = lines(folder, StepResult(FIRST_START, StepOutcome.OK, seconds=12.34))
    assert any(line.startswith("First start") and "12.3 s" in line for line in said)


def test_measured_times_stand_beside_the_estimate(folder: Path) -> None:
    said = lines(
        folder,
        left_by(folder, benchmark(STARTER, *CPU), timed()),
        left_by(folder, benchmark(STARTER, *TIR), timed()),
        left_by(folder, estimate(STARTER), estimated_as_dict(example_estimate(STARTER))),
    )
    of_starter = said[said.index(next(line for line in said if line.startswith(STARTER))) :]
    heads, *rows = of_starter[1:]
    assert "cpu" in heads
    assert "metal-tir" in heads
    assert "M1" in heads
    rows = rows[: rows.index("")]
    total = next(row for row in rows if row.strip().startswith("all stages"))
    expected = f"{1e3 * timed()['lengths'][0]['ours']['rtf']:.2f}"
    assert total.split().count(expected) == 2
    assert " - " in total


@pytest.mark.parametrize("damaged", ["{", "{}", '{"lengths": 7}', '{"lengths": [{"ours": null}]}'])
def test_figures_that_cannot_be_read_are_left_out(folder: Path, damaged: str) -> None:
    results = [left_by(folder, benchmark(model, *way), damaged) for model in (STARTER, FULL_SIZE) for way in WAYS]
    results += [left_by(folder, estimate(model), damaged.replace("lengths", "chips")) for model in (STARTER, FULL_SIZE)]
    assert sum("nothing was measured" in line for line in lines(folder, *results)) == 2
