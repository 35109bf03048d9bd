"""Tests of the outcomes of a probe, and of storing its result."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.models.checkpoints import STARTER, model_config
from engine.runtime.preparation import probes
from engine.runtime.preparation.probes import (
    ProbeResult,
    ProbeTrial,
    StoredResult,
    TrialRequest,
    forget_results,
    probes_folder,
    run_probe,
)
from tests.engine.runtime.preparation.trial_outcomes import crashes, crashes_quietly, fails, hangs, leaves, works
from tests.patience import PATIENCE_SECONDS

NOTHING = TrialRequest(ProbeTrial("try", (), (), 0), model_config(STARTER), Path(), {})
WORKS = ProbeResult(True, "", {"a": 0.5})


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(probes, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


class Probe:
    """A probe that works, and that counts how often it ran."""

    count = 0

    def __call__(self) -> ProbeResult:
        self.count += 1
        return WORKS


def kept(modules: str = "m") -> StoredResult:
    return StoredResult("try", modules, frozenset("a"))


@pytest.mark.parametrize(
    ("trying", "result"),
    [
        (works, WORKS),
        (crashes, ProbeResult(False, "its process ended (SIGABRT)")),
        (crashes_quietly, ProbeResult(False, "its process ended (JIT not supported)")),
        (fails, ProbeResult(False, "SystemError: the reason")),
        (leaves, ProbeResult(False, "code 3")),
        (hangs, ProbeResult(False, "it timed out after 0.5 seconds")),
    ],
)
def test_every_outcome_of_a_probe_becomes_a_result(
    monkeypatch: pytest.MonkeyPatch, trying: Callable[[TrialRequest], dict[str, float]], result: ProbeResult
) -> None:
    monkeypatch.setattr(probes, "tried", trying)
    assert run_probe(NOTHING, 0.5 if trying is hangs else PATIENCE_SECONDS) == result


def test_a_probe_runs_once_for_each_chip_system_and_set_of_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe()
    assert kept().found_by(probe) == kept().found_by(probe) == WORKS
    assert probe.count == 1
    kept("others").found_by(probe)
    monkeypatch.setattr(probes, "system_build", lambda: "25A1")
    kept().found_by(probe)
    monkeypatch.setattr(probes, "chip", lambda: "Apple M9")
    kept().found_by(probe)
    assert probe.count == 4
    assert kept().load() == WORKS


@pytest.mark.parametrize(
    "spoilt",
    [b"", b"\xff\xfe", b"[]", b'{"of": 1}', b'{"of": {}, "result": {"works": true, "why": "", "seconds": {"a": 1}}}'],
)
def test_a_result_that_cannot_be_read_is_found_out_again(spoilt: bytes) -> None:
    kept().found_by(Probe())
    kept().path.write_bytes(spoilt)
    assert kept().load() is None
    assert kept().found_by(Probe()) == kept().load() == WORKS


def test_a_result_without_its_times_is_found_out_again() -> None:
    kept().found_by(Probe())
    content = json.loads(kept().path.read_text())
    content["result"]["seconds"] = {"b": 1}
    kept().path.write_text(json.dumps(content))
    assert kept().load() is None


def test_a_process_without_writable_storage_tries_once_and_logs_it(
    cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache.write_text("not a folder")
    probe, place = Probe(), kept("modules of this test")
    with caplog.at_level(logging.WARNING):
        assert place.found_by(probe) == place.found_by(probe) == WORKS
    assert probe.count == 1
    assert "can’t be written, so try is tested at every start" in caplog.text


def test_a_full_disk_loses_the_result_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(probes, "write_atomically", full)
    assert kept().found_by(Probe()) == WORKS
    assert kept().load() is None


def test_the_results_of_one_probe_are_forgotten_together() -> None:
    other = StoredResult("other", "m")
    for one in (kept(), kept("others"), other):
        one.save(ProbeResult(False, "no"))
    forget_results("try")
    assert list(probes_folder().iterdir()) == [other.path]
