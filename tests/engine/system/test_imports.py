import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import ModuleType

import pytest

from engine.system.imports import SETTINGS, hidden_module, stay_offline


def test_libraries_are_told_to_stay_offline() -> None:
    environment: dict[str, str] = {"HF_HUB_OFFLINE": "0"}
    stay_offline(environment)
    assert environment == SETTINGS


@pytest.mark.parametrize("command", ["engine", "app"])
def test_each_command_line_does_so_before_anything_else(command: str) -> None:
    code = (
        f"import sys; from {command}.__main__ import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "from huggingface_hub import constants\n"
        "sys.exit(not (constants.HF_HUB_OFFLINE and constants.HF_HUB_DISABLE_TELEMETRY))"
    )
    without = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=without, check=False)
    assert done.returncode == 0


def test_a_hidden_module_comes_back() -> None:
    with hidden_module("wave_that_is_not_there"), pytest.raises(ImportError):
        __import__("wave_that_is_not_there")
    assert "wave_that_is_not_there" not in sys.modules
    with hidden_module("sys"):
        assert sys.modules["sys"] is sys


def test_another_may_be_there_instead() -> None:
    other = ModuleType("wave_that_is_not_there")
    with hidden_module(other.__name__, other):
        assert __import__(other.__name__) is other
    assert other.__name__ not in sys.modules


def test_two_threads_take_turns() -> None:
    started, finish = Event(), Event()

    def hide_first() -> None:
        with hidden_module("wave_that_is_not_there"):
            started.set()
            finish.wait()

    def hide_second() -> bool:
        with hidden_module("wave_that_is_not_there"):
            return "wave_that_is_not_there" in sys.modules

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(hide_first)
        started.wait()
        second = pool.submit(hide_second)
        finish.set()
        first.result()
        assert second.result()
    assert "wave_that_is_not_there" not in sys.modules
