import json
import os
import time
from pathlib import Path

import numpy as np
import pytest

from engine.compiler.artifacts.manifest import CPU
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.report import machine, task
from engine.report.machine import crashes, packages, system, tools
from engine.report.task import main, measured, tried
from engine.runtime.preparation import module_probe
from engine.runtime.preparation.probes import ProbeResult, ProbeTrial, TrialRequest
from tests.engine.runtime.preparation.tried_modules import STAGES, built_folder


def run(monkeypatch, *findings) -> int:
    def found():
        for finding in findings:
            if isinstance(finding, Exception):
                raise finding
            yield finding

    monkeypatch.setattr(task, "TASKS", {"found": found})
    return main(["found"])


def test_findings_are_lines_of_json(monkeypatch, capsys):
    assert run(monkeypatch, {"a": 1, "problem": ""}, {"a": 2}) == 0
    said = capsys.readouterr()
    assert [json.loads(line)["a"] for line in said.out.splitlines()] == [1, 2]
    assert said.err == ""


def test_all_are_written_though_some_are_problems(monkeypatch, capsys):
    assert run(monkeypatch, {"problem": "no\nfile"}, {}, {"problem": "no disk"}) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 3
    assert said.err == "2 of 3 failed; the first: no file\n"


@pytest.mark.parametrize("before", [(), ({},)])
def test_an_error_is_quoted_after_the_findings(monkeypatch, capsys, before):
    assert run(monkeypatch, *before, EngineError("No device.", "Use a CPU.")) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == len(before)
    assert said.err == "No device. Use a CPU.\n"


def test_this_machine_is_described() -> None:
    first = next(system())
    assert first["memory_bytes"] > 1e9
    assert first["usable_cores"] >= 1
    assert first["python"].startswith("3.1")


def test_tools_that_are_missing_are_no_problem() -> None:
    said = list(tools())
    assert said[0]["said"].startswith("Python 3.1")
    assert not any("problem" in one for one in said)


def test_packages_have_versions() -> None:
    found = {one["package"]: one["version"] for one in packages()}
    assert found["numpy"]


def test_only_new_crashes_of_the_program_are_copied_and_under_other_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports, copies = tmp_path / "Library" / "Logs" / "DiagnosticReports", tmp_path / "copies"
    reports.mkdir(parents=True)
    copies.mkdir()
    for name in ("Python-2026.ips", "python3.12_Annas-Mac.crash", "Kokoro Desk-2026.ips", "Safari.ips", "Python.diag"):
        (reports / name).write_text(name)
    old = reports / "Python-old.ips"
    old.write_text("old")
    os.utime(old, (time.time() - 90_000,) * 2)
    monkeypatch.setattr(machine.Path, "home", lambda: tmp_path)
    found = list(crashes(str(copies)))
    assert {path.read_text() for path in copies.iterdir()} == {
        "Python-2026.ips",
        "python3.12_Annas-Mac.crash",
        "Kokoro Desk-2026.ips",
    }
    assert {one["file"] for one in found} == {path.name for path in copies.iterdir()}
    assert not any("Anna" in path.name for path in copies.iterdir())


def test_without_crashes_nothing_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.Path, "home", lambda: tmp_path)
    assert list(crashes(str(tmp_path))) == []


def test_stored_trial_results_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "metal-1.json").write_text('{"of": {}}')
    monkeypatch.setattr(machine, "probes_folder", lambda: tmp_path)
    assert list(machine.remembered()) == [{"file": "metal-1.json", "content": '{"of": {}}'}]


BATCHES = ((5,), (9, 1, 4))


@pytest.fixture(scope="module")
def request_here(tiny_config: ModelConfig) -> TrialRequest:
    folder = built_folder(tiny_config, CPU)
    return TrialRequest(ProbeTrial("try", STAGES, BATCHES, calls=2), tiny_config, folder, {"same": folder})


def test_every_run_has_its_time_and_its_difference(request_here: TrialRequest) -> None:
    runs = list(measured(request_here))
    assert [(run["call"], tuple(run["tokens"]), run["stage"]) for run in runs] == [
        (call, batch, stage) for call in (1, 2) for batch in BATCHES for stage in STAGES
    ]
    assert all(run["tried"] == "same" and run["difference"] == 0 and run["milliseconds"] > 0 for run in runs)
    assert not any(run["problem"] for run in runs)


@pytest.mark.parametrize(("difference", "told"), [(0.5, 0.5), (np.nan, "nan"), (np.inf, "inf")])
def test_a_wrong_result_is_a_problem_and_the_other_runs_continue(
    request_here: TrialRequest, monkeypatch: pytest.MonkeyPatch, difference: float, told: object
) -> None:
    monkeypatch.setattr(module_probe, "relative_difference", lambda ours, truth: difference)
    runs = list(measured(request_here))
    assert len(runs) == 8
    assert all(run["difference"] == told and run["problem"].startswith("same differs by") for run in runs)


def test_unusable_modules_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "ensure_modules", lambda *_: None)
    monkeypatch.setattr(
        ProbeTrial, "request", lambda *_: ProbeResult(False, "the modules for metal can’t be used: stale")
    )
    with pytest.raises(EngineError, match="can’t be used: stale"):
        list(tried("metal", "starter"))
