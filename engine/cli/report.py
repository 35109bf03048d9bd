"""`engine report`: tests the program on this machine and saves the results in one file, or summarizes such a file."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.cli.command import Command, Outcome
from engine.cli.progress import show_line
from engine.report.archive import ReportFile, write_report
from engine.report.privacy import Private
from engine.report.reading import summary_lines
from engine.report.running import ReportStep, StepResult, run_step
from engine.report.steps import all_steps
from engine.system.atomic_write import atomic_write, ensure_writable

DEFAULT_OUTPUT = Path("kokoro-report.zip")
_PRIVACY = "It contains none of your text, no user or computer name, and no path of your home folder."


def _add_options(parser: Any) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--out", type=Path, default=DEFAULT_OUTPUT, metavar="F.zip", help=f"the file (default: {DEFAULT_OUTPUT})"
    )
    what.add_argument("--read", type=Path, metavar="F.zip", help="summarize an existing report")
    parser.add_argument("--tests", action="store_true", help="also run the test suite, for about an hour")


def _run(options: argparse.Namespace) -> Outcome:
    if options.read is not None:
        return Outcome(None, "\n".join(summary_lines(ReportFile(options.read))))
    ensure_writable(options.out)
    results = made_report(all_steps(options.tests), options.out)
    counts = Counter(result.outcome for result in results)
    size = options.out.stat().st_size / 1e6 if options.out.is_file() else 0
    summary = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    return Outcome(None, f"{options.out} ({size:.1f} MB): {summary}. {_PRIVACY}")


def made_report(steps: Sequence[ReportStep], output: Path) -> list[StepResult]:
    """Run the steps, print a line about each, and write the results to a file. Raises `OutputError`."""
    with TemporaryDirectory(prefix="kokoro-report-", ignore_cleanup_errors=True) as name:
        folder, results = Path(name).resolve(), []
        for number, step in enumerate(steps, 1):
            show_line(f"{number:>2} of {len(steps)}  {step.name}: ", end="")
            results.append(_run_in_report(step, folder))
        with atomic_write(output) as file:
            write_report(file, results, folder, Private.here({name: "<report>", str(folder): "<report>"}))
    return results


def _run_in_report(step: ReportStep, folder: Path) -> StepResult:
    """Run a step and complete the line that names it with the result."""
    try:
        result = run_step(step, folder)
    except KeyboardInterrupt:
        show_line("")
        raise
    show_line(result.words)
    return result


def _left_behind(options: argparse.Namespace) -> str:
    return "" if options.read else f"Couldn’t write {options.out}."


COMMAND = Command(
    "report",
    "Test every part on this machine and save the results in one file to send.",
    _add_options,
    _run,
    _left_behind,
)
