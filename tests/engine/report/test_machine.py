import os
import time
from pathlib import Path

import pytest

from engine.report import machine
from engine.report.machine import crashes, packages, system, tools


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


def test_what_trials_have_found_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "metal-1.json").write_text('{"of": {}}')
    monkeypatch.setattr(machine, "probes_folder", lambda: tmp_path)
    assert list(machine.remembered()) == [{"file": "metal-1.json", "content": '{"of": {}}'}]
