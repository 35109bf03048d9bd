"""Tests of one step: its files, and the report on it for every way of ending."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.report.running import LOG, SCRATCH, ReportStep, StepOutcome, StepResult, run_step
from engine.system import remote
from engine.system.paths import project_folder
from tests.engine.report.stand_in import PLACES, step
from tests.patience import wait_until
from tests.processes import exists, running_until_killed


def test_the_output_and_messages_of_a_step_are_saved(tmp_path: Path) -> None:
    result = run_step(step("one", output="figures.json"), tmp_path)
    assert (result.name, result.outcome, result.reason) == ("one", StepOutcome.OK, "")
    assert (tmp_path / "one" / "figures.json").read_text() == "a result\n"
    seconds, _, said = (tmp_path / "one" / LOG).read_text().strip().partition(" s  ")
    assert float(seconds) <= round(result.seconds, 1)
    assert said == "all is well"


@pytest.mark.parametrize(
    ("way", "reason"), [("fails", "It cannot be done."), ("crashes", "terminated by SIGABRT"), ("unheard-of", "Key")]
)
def test_a_failing_step_leaves_its_output_and_the_reason(tmp_path: Path, way: str, reason: str) -> None:
    result = run_step(step("one", way), tmp_path)
    assert result.outcome is StepOutcome.FAILED
    assert result.reason.startswith(reason)
    assert way == "unheard-of" or (tmp_path / "one" / "output.txt").read_text() == "half a result\n"


def test_a_step_that_hangs_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = tmp_path / "child"

    def seconds() -> float:
        """Return 0 until the child has started its own child, then a time beyond the limit."""
        return 100.0 if started.exists() and started.read_text() else 0.0

    monkeypatch.setattr(remote, "time", SimpleNamespace(monotonic=seconds))
    result = run_step(step("one", "hangs", str(started), limit_seconds=5), tmp_path)
    assert (result.outcome, result.reason) == (StepOutcome.FAILED, "timed out after 5 seconds")
    wait_until(lambda: not exists(int(started.read_text())), "the end of the step's child")


def test_a_step_ends_with_its_children_when_the_report_is_killed(tmp_path: Path) -> None:
    started = tmp_path / "child"
    program = (
        "from pathlib import Path; from engine.report.running import run_step;"
        "from tests.engine.report.stand_in import step;"
        f"run_step(step('one', 'hangs', {str(started)!r}), Path({str(tmp_path)!r}))"
    )
    with running_until_killed([sys.executable, "-c", program], cwd=project_folder()):
        wait_until(lambda: started.exists() and started.read_text(), "the child of the step")
    wait_until(lambda: not exists(int(started.read_text())), "the end of the step's child")


def test_a_module_that_is_missing_is_a_failure(tmp_path: Path) -> None:
    result = run_step(ReportStep("one", ("no_such_module",)), tmp_path)
    assert result.outcome is StepOutcome.FAILED
    assert "no_such_module" in result.reason


def test_a_step_that_does_not_belong_here_does_not_run(tmp_path: Path) -> None:
    result = run_step(step("one", "fails", unavailable_reason="not on this system"), tmp_path)
    assert result == StepResult("one", StepOutcome.NOT_HERE, "not on this system")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_created_fails_the_step(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("a file")
    assert run_step(step("one"), tmp_path).outcome is StepOutcome.FAILED


def test_a_step_has_a_report_folder_and_a_temporary_folder(tmp_path: Path) -> None:
    run_step(step("one", "remembers", *PLACES, environment={"CACHE": SCRATCH}), tmp_path)
    assert (tmp_path / "one" / "output.txt").read_text() == "True True\n"
    assert {path.name for path in tmp_path.rglob("*")} == {"one", "output.txt", LOG}
