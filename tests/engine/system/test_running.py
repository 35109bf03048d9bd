import os
import subprocess
import sys

import pytest

from engine.system.running import is_running


def test_this_process_runs_and_one_that_has_ended_does_not() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert is_running(os.getpid())
    assert not is_running(ended.pid)
    assert not is_running(0)


def test_a_process_of_another_user_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    assert is_running(7)
