"""The probe on the software Metal device, with a stand-in for Metal Performance Shaders."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.runners import lstm_probe
from engine.runners.lstm_probe import main, measured_difference
from tests.engine.mps_bridge import stand_in

NOWHERE = Path("nowhere.dylib")


@pytest.fixture(autouse=True)
def _installed():
    stand_in.install()


def test_what_computes_the_meaning_passes(capsys):
    assert measured_difference(NOWHERE) < 1e-5
    assert main([str(NOWHERE)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("difference", [0.5, float("nan")])
def test_what_computes_something_else_does_not(monkeypatch, capsys, difference):
    monkeypatch.setattr(lstm_probe, "measured_difference", lambda _: difference)
    assert main([str(NOWHERE)]) == 1
    assert "differs by" in capsys.readouterr().err


def test_without_metal_the_reason_is_told():
    command = [sys.executable, "-m", "engine.runners.lstm_probe", str(NOWHERE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("This computer has no Metal device.")
    assert len(done.stderr.splitlines()) == 1
