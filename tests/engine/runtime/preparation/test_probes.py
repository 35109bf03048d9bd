"""What becomes of a probe, and how its result is kept."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import pytest

from engine.runtime.preparation import probes
from engine.runtime.preparation.probes import KeptResult, ProbeResult, forget_results, probes_folder, run_probe
from tests.patience import PATIENCE_SECONDS

PASSES = (sys.executable, "-S", "-c", 'print(\'{"seconds": {"a": 0.5}}\')')
ABORT_QUIETLY = """
import ctypes
from engine.system.child_process import abort_quietly
abort_quietly()
print("JIT not supported", file=__import__("sys").stderr, flush=True)
ctypes.CDLL(None).abort()
"""
WORKS = ProbeResult(True, "", {"a": 0.5})


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(probes, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def counting(log: Path) -> tuple[str, ...]:
    """A probe that works, and that says in a file how often it ran."""
    return (*PASSES[:-1], f"open({str(log)!r}, 'a').write('.'); {PASSES[-1]}")


def kept(modules: str = "m") -> KeptResult:
    return KeptResult("try", modules, frozenset("a"))


@pytest.mark.parametrize(
    ("code", "result"),
    [
        (PASSES[-1], WORKS),
        ("import os; os.abort()", ProbeResult(False, "it ended its process (SIGABRT)")),
        ("import sys; sys.exit('one line\\nthe reason')", ProbeResult(False, "the reason")),
        ("import os; os._exit(3)", ProbeResult(False, "code 3")),
        ("import time; time.sleep(600)", ProbeResult(False, "it was not done after 0.5 seconds")),
    ],
)
def test_whatever_becomes_of_a_probe_is_a_result(code: str, result: ProbeResult) -> None:
    assert run_probe([sys.executable, "-S", "-c", code], 0.5 if "sleep" in code else PATIENCE_SECONDS) == result


def test_a_library_that_aborts_is_heard_though_the_system_is_not_told() -> None:
    result = run_probe([sys.executable, "-c", ABORT_QUIETLY], PATIENCE_SECONDS)
    assert result == ProbeResult(False, "it ended its process (JIT not supported)")


def test_a_probe_runs_once_for_each_chip_system_and_set_of_modules(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    assert kept().found_by(counting(log)) == kept().found_by(counting(log)) == WORKS
    assert log.read_text() == "."
    kept("others").found_by(counting(log))
    monkeypatch.setattr(probes, "system_build", lambda: "25A1")
    kept().found_by(counting(log))
    monkeypatch.setattr(probes, "chip", lambda: "Apple M9")
    kept().found_by(counting(log))
    assert log.read_text() == "...."
    assert kept().load() == WORKS


@pytest.mark.parametrize(
    "spoilt",
    [b"", b"\xff\xfe", b"[]", b'{"of": 1}', b'{"of": {}, "result": {"works": true, "why": "", "seconds": {"a": 1}}}'],
)
def test_a_result_that_cannot_be_read_is_found_out_again(spoilt: bytes) -> None:
    kept().found_by(PASSES)
    kept().path.write_bytes(spoilt)
    assert kept().load() is None
    assert kept().found_by(PASSES) == kept().load() == WORKS


def test_a_result_without_its_times_is_found_out_again() -> None:
    kept().found_by(PASSES)
    content = json.loads(kept().path.read_text())
    content["result"]["seconds"] = {"b": 1}
    kept().path.write_text(json.dumps(content))
    assert kept().load() is None


def test_where_nothing_can_be_kept_a_process_tries_once_and_says_so(
    cache: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache.write_text("not a folder")
    log = tmp_path / "log"
    with caplog.at_level(logging.WARNING):
        assert kept().found_by(counting(log)) == kept().found_by(counting(log)) == WORKS
    assert log.read_text() == "."
    assert "cannot be written; try is tried at every start" in caplog.text


def test_a_full_disk_loses_the_result_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(probes, "write_atomically", full)
    assert kept().found_by(PASSES) == WORKS
    assert kept().load() is None


def test_the_results_of_one_probe_are_forgotten_together() -> None:
    other = KeptResult("other", "m")
    for one in (kept(), kept("others"), other):
        one.save(ProbeResult(False, "no"))
    forget_results("try")
    assert list(probes_folder().iterdir()) == [other.path]
