"""Which arrays of a long validation stay."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import EngineError
from engine.validator.data.results import Reading, Regime, Row, Verdict
from engine.validator.runs.arrays import ArrayFolder, ArrayLimit

NUMBERS = 1000
BYTES = 4 * NUMBERS + 128
ROW = Row(0, "source", "f0", Regime.COMPILED, Regime.DYNAMIC, Reading.OWN_FED, Verdict.PASS, 0.999)


class Run:
    """A validation that keeps one array of each utterance."""

    def __init__(self, folder: Path, most_bytes: int | None) -> None:
        self.arrays = ArrayFolder(folder)
        self.limit = ArrayLimit(self.arrays, most_bytes)

    def compare(self, utterance: int, verdict: Verdict = Verdict.PASS, regime: Regime = Regime.COMPILED) -> None:
        array = np.full((1, NUMBERS), utterance, np.float32)
        self.arrays.save(utterance, regime, Reading.OWN_FED, "f0", array)
        self.limit.note(replace(ROW, utterance=utterance, verdict=verdict, regime=regime))
        self.limit.finish(utterance)

    @property
    def kept(self) -> list[int]:
        return [key.utterance for key in self.arrays.entries()]


def test_without_a_limit_everything_stays(tmp_path: Path) -> None:
    run = Run(tmp_path, None)
    for number in range(5):
        run.compare(number)
    assert run.kept == [0, 1, 2, 3, 4]


def test_the_one_compared_longest_ago_goes_first(tmp_path: Path) -> None:
    run = Run(tmp_path, 2 * BYTES)
    for number in (4, 0, 1, 5):
        run.compare(number)
    assert run.kept == [1, 5]


def test_what_failed_stays_longer(tmp_path: Path) -> None:
    run = Run(tmp_path, 2 * BYTES)
    run.compare(0, Verdict.FAIL)
    run.compare(1, Verdict.FAIL, Regime.STATIC_NO_PACK)  # which it always does
    run.compare(2)
    assert run.kept == [0, 2]
    run.compare(3, Verdict.FAIL)
    run.compare(4)
    assert run.kept == [3, 4]


def test_the_latest_stays_however_large(tmp_path: Path) -> None:
    run = Run(tmp_path, 1)
    for number in range(3):
        run.compare(number)
    assert run.kept == [2]


def test_an_array_in_use_stays_readable_and_a_deleted_one_is_missing(tmp_path: Path) -> None:
    run = Run(tmp_path, 1)
    run.compare(0)
    seen = run.arrays.load(0, Regime.COMPILED, Reading.OWN_FED, "f0")
    run.compare(1)
    assert float(seen.sum()) == 0
    with pytest.raises(EngineError, match="No array of f0"):
        run.arrays.load(0, Regime.COMPILED, Reading.OWN_FED, "f0")
