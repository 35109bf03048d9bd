"""Tests of handling the answers of a process."""

from __future__ import annotations

import os
import signal

import pytest

from engine.benchmark import processes
from engine.benchmark.job import BenchmarkJob, Length
from engine.benchmark.processes import TimedProcess, WorkerProcess
from engine.benchmark.worker import SPEAK, SPEAKING
from engine.errors import EngineError


@pytest.fixture
def folder(tmp_path):
    BenchmarkJob("starter", None, 1, stage_seconds=0).save(tmp_path)
    return tmp_path


def test_a_killed_process_is_reported_in_one_sentence(folder):
    with WorkerProcess(SPEAKING, folder, 1) as process:
        assert process.answer() == {"ready": SPEAKING}
        os.kill(process.process_id, signal.SIGKILL)
        with pytest.raises(EngineError, match=r"speaking ended unexpectedly: SIGKILL\. Omit it"):
            process.ask(SPEAK, text="Hello.")


def test_a_process_that_fails_says_its_last_words(folder):
    with WorkerProcess("nobody", folder, 1) as process, pytest.raises(EngineError, match="KeyError: 'nobody'"):
        process.answer()


def test_a_worker_error_keeps_its_wording(tmp_path):
    BenchmarkJob("nonesuch", None, 1).save(tmp_path)
    with WorkerProcess(SPEAKING, tmp_path, 1) as process, pytest.raises(EngineError, match="Unknown model “nonesuch”"):
        process.answer()


class Answering:
    """Stands in for a process that warms up, then runs twice after a rest."""

    def __init__(self, name, folder, threads):
        self.answers = [
            {"first_run_seconds": 10.0},
            {
                "stages": {"bert": 1.0, "decoder": 1.0},
                "peak_bytes": 7,
                "rest_seconds": 3,
                "rest_processor_seconds": 0,
                "preparation_seconds": 4.0,
            },
            {
                "stages": {"bert": 2.0, "decoder": 1.0},
                "peak_bytes": 8,
                "rest_seconds": 1,
                "rest_processor_seconds": 1,
                "preparation_seconds": 4.0,
            },
        ]

    def answer(self):
        return {"ready": "x"}

    def ask(self, question, **details):
        return self.answers.pop(0)


class Failing(Answering):
    """Stands in for a process that does not get ready."""

    closed = False

    def answer(self):
        raise EngineError("It is broken.")

    def close(self):
        Failing.closed = True


@pytest.fixture
def process(monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "WorkerProcess", Answering)
    return TimedProcess("x", tmp_path, 1)


def test_the_first_run_is_recorded_separately_and_idle_time_adds_up(process):
    process.warm_up(Length(8, 3, 0.2))
    runs = [process.measure_length(Length(8, 3, 0.2)) for _ in range(2)]
    figures = process.figures()
    assert [run["bert"] for run in runs] == [1.0, 2.0]
    assert figures.first_run_seconds == 10.0
    assert figures.peak_bytes == 8
    assert figures.preparation_seconds == {0.2: 4.0}
    assert figures.idle_share == 0.25  # one CPU second in four


def test_a_process_that_does_not_get_ready_is_not_left_behind(monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "WorkerProcess", Failing)
    with pytest.raises(EngineError, match="broken"):
        TimedProcess("x", tmp_path, 1)
    assert Failing.closed
