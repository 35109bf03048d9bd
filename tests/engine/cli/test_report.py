"""Tests of `engine report` from the command line, with stand-ins for its steps."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.cli import report
from engine.report import privacy
from engine.report.archive import MAX_BYTES, REPORT
from engine.report.running import FOLDER, ReportStep
from engine.report.steps import all_steps
from tests.engine.report.stand_in import step


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[ReportStep]:
    found = [step("one"), step("two"), step("three")]
    monkeypatch.setattr(report, "all_steps", lambda with_tests: found)
    return found


def outcomes(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {one["name"]: one["outcome"] for one in json.loads(archive.read(REPORT))["steps"]}


@pytest.mark.parametrize(("failing", "way"), [(0, "fails"), (1, "crashes"), (2, "unheard-of")])
def test_a_failing_step_is_recorded_and_the_others_still_run(steps, tmp_path, capsys, failing, way):
    steps[failing] = step(steps[failing].name, way)
    output = tmp_path / "F.zip"
    assert main(["report", "--out", str(output)]) == 0
    assert outcomes(output) == {one.name: "failed" if one is steps[failing] else "ok" for one in steps}
    with zipfile.ZipFile(output) as archive:
        for one in steps:
            assert f"{one.name}/log.txt" in archive.namelist()
    assert main(["report", "--read", str(output)]) == 0
    said = capsys.readouterr().out
    assert said.index(f"FAILED {steps[failing].name}:") < said.index("milliseconds")


def test_the_file_is_written_though_every_step_fails(steps, tmp_path):
    steps[:] = [step(one.name, "fails") for one in steps]
    assert main(["report", "--out", str(tmp_path / "F.zip")]) == 0
    assert set(outcomes(tmp_path / "F.zip").values()) == {"failed"}


def test_every_real_step_is_named_though_it_fails(steps, tmp_path, monkeypatch):
    """Without running their programs."""
    steps[:] = [
        ReportStep(one.name, ("no_such_module",), unavailable_reason="" if number % 12 == 0 else "skipped")
        for number, one in enumerate(all_steps())
    ]
    assert main(["report", "--out", str(tmp_path / "F.zip")]) == 0
    assert list(outcomes(tmp_path / "F.zip")) == [one.name for one in all_steps()]


def test_each_step_is_a_line_on_the_screen(steps, tmp_path, capsys):
    steps[1] = step("two", "fails")
    steps[2] = step("three", unavailable_reason="not on this system")
    assert main(["report", "--out", str(tmp_path / "F.zip")]) == 0
    said = capsys.readouterr()
    first, second, third = said.err.splitlines()
    assert "one: ok" in first
    assert "two: failed: It cannot be done." in second
    assert third.endswith("three: not here: not on this system")
    assert len(said.out.splitlines()) == 1


def test_nothing_in_it_says_whose_machine_it_is(steps, tmp_path, monkeypatch):
    home, name, host = tmp_path / "home" / "annelise", "annelise", "annelises-book"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(privacy.getpass, "getuser", lambda: name)
    monkeypatch.setattr(privacy.socket, "gethostname", lambda: f"{host}.local")
    text = json.dumps({"path": f"{home}/texts/novel.txt", "by": name.title(), "on": host})
    steps[:] = [
        step("json", "writes", f"{FOLDER}/figures.json", text),
        step("crash", "writes", f"{FOLDER}/crash-1.ips", text),
        step("log", "unheard-of", f"{home}"),
        step("binary", "writes", f"{FOLDER}/picture.png", f"\\0{home}"),
        ReportStep("reason", (f"no_module_of_{name}",)),
    ]
    output = tmp_path / "F.zip"
    assert main(["report", "--out", str(output)]) == 0
    with zipfile.ZipFile(output) as archive:
        for file in archive.namelist():
            assert not any(word in archive.read(file).decode().lower() for word in (str(home), name, host))
        assert "binary/picture.png" in json.loads(archive.read(REPORT))["left_out"]
        assert json.loads(archive.read("json/figures.json")) == {
            "path": "~/texts/novel.txt",
            "by": "<user>",
            "on": "<host>",
        }


def test_it_stays_small(steps, tmp_path):
    steps[:] = [step("one", "fills", FOLDER)]
    assert main(["report", "--out", str(tmp_path / "F.zip")]) == 0
    assert (tmp_path / "F.zip").stat().st_size <= MAX_BYTES
    assert outcomes(tmp_path / "F.zip") == {"one": "ok"}


def test_an_older_file_is_replaced_by_a_whole_one(steps, tmp_path, monkeypatch):
    output = tmp_path / "F.zip"
    output.write_text("older")

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(report, "write_report", interrupted)
        assert main(["report", "--out", str(output)]) == 130
    assert output.read_text() == "older"
    assert main(["report", "--out", str(output)]) == 0
    assert outcomes(output)
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize("place", ["none/F.zip", "read-only/F.zip", "."])
def test_an_unwritable_output_is_reported_before_any_step(steps, tmp_path, capsys, monkeypatch, place):
    (tmp_path / "read-only").mkdir()
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "read-only" not in str(path) and access(path, mode))
    monkeypatch.setattr(report, "run_step", None)
    assert main(["report", "--out", str(tmp_path / place)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("content", [None, b"no zip"])
def test_a_file_that_is_no_report_is_refused_in_a_sentence(tmp_path, capsys, content):
    path = tmp_path / "F.zip"
    if content is not None:
        path.write_bytes(content)
    assert main(["report", "--read", str(path)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1


def test_tests_are_asked_for(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(report, "all_steps", lambda with_tests: asked.append(with_tests) or ())
    for options in ([], ["--tests"]):
        main(["report", "--out", str(tmp_path / "F.zip"), *options])
    assert asked == [False, True]
