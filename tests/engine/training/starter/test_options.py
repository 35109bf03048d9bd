"""Options come from the command line; progress reads as a sentence."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from engine.errors import InvalidRequest
from engine.training.starter.options import ROUNDS, STAGE_MINUTES, WARM_STAGES, TrainOptions, TrainProgress

WORK = Path("work")


def arguments(**given: object) -> Namespace:
    plain = {"work_dir": WORK, "output_dir": None, "minutes": None, "rounds": ROUNDS, "stages": None, "start": None}
    return Namespace(**{**plain, **given})


def test_defaults() -> None:
    options = TrainOptions.from_arguments(arguments())
    assert options.output_folder == WORK / "package"
    assert options.minutes == STAGE_MINUTES
    assert options.rounds == ROUNDS


def test_minutes_are_shared_out() -> None:
    options = TrainOptions.from_arguments(arguments(output_dir=Path("out"), minutes=27.0))
    assert options.output_folder == Path("out")
    assert sum(options.minutes.values()) == pytest.approx(27)
    shares = options.minutes["joint"] / options.minutes["text"]
    assert shares == pytest.approx(STAGE_MINUTES["joint"] / STAGE_MINUTES["text"])


def test_chosen_stages_keep_their_order_and_get_all_the_minutes() -> None:
    options = TrainOptions.from_arguments(arguments(stages=["joint", "text"], minutes=60.0))
    assert list(options.minutes) == ["text", "joint"]
    assert sum(options.minutes.values()) == pytest.approx(60)


def test_an_existing_package_needs_no_generator_of_its_own() -> None:
    options = TrainOptions.from_arguments(arguments(start=Path("package")))
    assert tuple(options.minutes) == WARM_STAGES


@pytest.mark.parametrize("minutes", [0.0, -3.0, float("nan")])
def test_no_time_is_refused(minutes: float) -> None:
    with pytest.raises(InvalidRequest):
        TrainOptions.from_arguments(arguments(minutes=minutes))


@pytest.mark.parametrize("rounds", [0, -1])
def test_no_lessons_are_refused(rounds: int) -> None:
    with pytest.raises(InvalidRequest):
        TrainOptions.from_arguments(arguments(rounds=rounds))


def test_progress_reads_well() -> None:
    progress = TrainProgress("front", 0.5, 125.0, {"bands": 0.31})
    assert str(progress) == "front  50%, 2:05 left in all. bands 0.3100"


def test_package_is_cheap_to_import() -> None:
    program = (
        "import sys, engine.training.starter; print(any(name in sys.modules for name in ('torch', 'kokoro', 'misaki')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
