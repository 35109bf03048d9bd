"""Child processes as those who ask see them."""

import os
import signal

import pytest

from engine.benchmark.job import Job
from engine.benchmark.process import WorkerProcess
from engine.benchmark.speaking import SPEAK
from engine.benchmark.worker import SPEAKING
from engine.errors import EngineError


@pytest.fixture
def folder(tmp_path):
    Job("starter", None, 1, stage_seconds=0).save(tmp_path)
    return tmp_path


def test_a_process_that_is_killed_is_told_of_in_a_sentence(folder):
    with WorkerProcess(SPEAKING, folder, 1) as process:
        assert process.answer() == {"ready": SPEAKING}
        os.kill(process.number, signal.SIGKILL)
        with pytest.raises(EngineError, match=r"speaking ended by itself: SIGKILL\. Leave it out"):
            process.ask(SPEAK, text="Hello.")


def test_a_process_that_fails_says_its_last_words(folder):
    with WorkerProcess("nobody", folder, 1) as process, pytest.raises(EngineError, match="KeyError: 'nobody'"):
        process.answer()


def test_a_mistake_is_told_as_it_was_worded(tmp_path):
    Job("nonesuch", None, 1).save(tmp_path)
    with WorkerProcess(SPEAKING, tmp_path, 1) as process, pytest.raises(EngineError, match="no model named “nonesuch”"):
        process.answer()
