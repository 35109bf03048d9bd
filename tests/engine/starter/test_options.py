"""Options come from the command line; progress reads as a sentence."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from engine.errors import InvalidRequest
from engine.starter.options import StageMinutes, TrainOptions, TrainProgress

WORK = Path("work")


def test_defaults() -> None:
    options = TrainOptions.from_arguments(Namespace(work_dir=WORK, output_dir=None, minutes=None))
    assert options.output_folder == WORK / "package"
    assert options.minutes == StageMinutes()


def test_minutes_are_shared_out() -> None:
    options = TrainOptions.from_arguments(Namespace(work_dir=WORK, output_dir=Path("out"), minutes=27.0))
    assert options.output_folder == Path("out")
    assert options.minutes.total == pytest.approx(27)
    assert options.minutes.joint / options.minutes.text == pytest.approx(StageMinutes().joint / StageMinutes().text)


@pytest.mark.parametrize("minutes", [0.0, -3.0, float("nan")])
def test_no_time_is_refused(minutes: float) -> None:
    with pytest.raises(InvalidRequest):
        TrainOptions.from_arguments(Namespace(work_dir=WORK, output_dir=None, minutes=minutes))


def test_progress_reads_well() -> None:
    progress = TrainProgress("front", 0.5, 125.0, {"bands": 0.31})
    assert str(progress) == "front  50%, 2:05 left in all. bands 0.310"


def test_package_is_cheap_to_import() -> None:
    program = "import sys, engine.starter; print(any(name in sys.modules for name in ('torch', 'kokoro', 'misaki')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
