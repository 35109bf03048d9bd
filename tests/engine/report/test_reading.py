"""What is said of a report: the important first."""

import json
from pathlib import Path

import pytest

from engine.benchmark.estimate.report import to_dict as estimated_as_dict
from engine.benchmark.report import to_dict as measured_as_dict
from engine.models.checkpoints import FULL_SIZE, STARTER
from engine.report.archive import Report, write_report
from engine.report.privacy import Private
from engine.report.reading import in_words
from engine.report.running import Outcome, StepResult
from engine.report.steps import FIGURES, FIRST_START, WAYS, benchmark, estimate
from tests.engine.benchmark.estimate.example_work import estimate as example_estimate
from tests.engine.benchmark.example_measurement import measurement

CPU, TIR, MPS = WAYS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "steps"


def left(folder: Path, step: str, content: object, name: str = FIGURES) -> StepResult:
    (folder / step).mkdir(parents=True)
    (folder / step / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return StepResult(step, Outcome.OK, seconds=60)


def lines(folder: Path, *results: StepResult) -> list[str]:
    path = folder.parent / "F.zip"
    with path.open("wb") as file:
        write_report(file, results, folder, Private())
    return list(in_words(Report(path)))


def timed() -> dict:
    """A benchmark of one length."""
    values = measured_as_dict(measurement())
    return values | {"lengths": values["lengths"][:1]}


def test_the_machine_and_what_failed_come_first(folder: Path) -> None:
    said = lines(
        folder,
        left(folder, "system", '{"chip": "Apple M9", "memory_bytes": 8589934592}\n', "findings.jsonl"),
        StepResult("kernels", Outcome.FAILED, "3 of 384 failed; the first: no type", 30),
        StepResult("quarantine", Outcome.NOT_HERE, "only a Mac has it"),
    )
    assert said[0].startswith("Apple M9, 8 GB")
    assert said[1].startswith("1 failed, 1 ok, 1 not here; 1.5 minutes")
    assert said[2] == "FAILED kernels: 3 of 384 failed; the first: no type"
    assert "not here: quarantine: only a Mac has it" in said[3:]


def test_the_first_start_is_timed(folder: Path) -> None:
    said = lines(folder, StepResult(FIRST_START, Outcome.OK, seconds=12.34))
    assert any(line.startswith("First start") and "12.3 s" in line for line in said)


def test_crash_reports_are_counted(folder: Path) -> None:
    said = lines(folder, left(folder, "crashes", '{"file": "crash-1.ips"}\n', "findings.jsonl"))
    assert any(line.startswith("1 crash reports") for line in said)


def test_measured_times_stand_beside_the_estimate(folder: Path) -> None:
    said = lines(
        folder,
        left(folder, benchmark(STARTER, *CPU), timed()),
        left(folder, benchmark(STARTER, *TIR), timed()),
        left(folder, estimate(STARTER), estimated_as_dict(example_estimate(STARTER))),
    )
    of_starter = said[said.index(next(line for line in said if line.startswith(STARTER))) :]
    heads, *rows = of_starter[1:]
    assert "cpu" in heads
    assert "metal-tir" in heads
    assert "M1" in heads
    rows = rows[: rows.index("")]
    total = next(row for row in rows if row.strip().startswith("all stages"))
    expected = f"{1e3 * timed()['lengths'][0]['ours']['rtf']:.2f}"
    assert total.split().count(expected) == 2
    assert " - " in total


@pytest.mark.parametrize("damaged", ["{", "{}", '{"lengths": 7}', '{"lengths": [{"ours": null}]}'])
def test_figures_that_cannot_be_read_are_left_out(folder: Path, damaged: str) -> None:
    results = [left(folder, benchmark(model, *way), damaged) for model in (STARTER, FULL_SIZE) for way in WAYS]
    results += [left(folder, estimate(model), damaged.replace("lengths", "chips")) for model in (STARTER, FULL_SIZE)]
    assert sum("nothing was measured" in line for line in lines(folder, *results)) == 2
