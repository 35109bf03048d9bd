"""The options of `engine validate` for golden runs: one to hold a run against, and making one."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path
from typing import Any

from engine.errors import InvalidRequest
from engine.validator.data.results import Report
from engine.validator.runs.golden import Golden
from engine.validator.runs.yardstick import unpartnered, worsened


def add_golden(parser: Any) -> None:
    """Add `--golden` and `--save-golden`."""
    parser.add_argument(
        "--golden", metavar="FILE", help="fail where an error is over 10 times that of this golden run (default: shown)"
    )
    parser.add_argument("--save-golden", type=Path, metavar="FILE", help="make a golden run of this one")


def check_golden(options: argparse.Namespace) -> None:
    """Raise `InvalidRequest` where the options also ask for what is no run of a text."""
    others = {"--fuzz": options.fuzz, "--text-parity": options.text_parity, "--case": options.case}
    named = [name for name, value in others.items() if value is not None]
    if named and (options.golden is not None or options.save_golden is not None):
        raise InvalidRequest(f"{named[0]} has no golden run.", f"Leave out {named[0]}, or the golden run.")


def save_golden(options: argparse.Namespace, report: Report) -> None:
    """Write the golden run that the options name; raises `InvalidRequest` for a run that is none, and `OutputError`."""
    if options.save_golden is None:
        return
    if report.circumstances is None or report.planted is not None or not report.passed:
        raise InvalidRequest(
            "This run cannot be golden: it is a drill, its compiled stages are wrong, or none was compiled.",
            "Make one of a run that passes, with the compiled regime.",
        )
    Golden.of(report.rows, report.utterances, report.circumstances, date.today()).save(options.save_golden)


def golden_words(options: argparse.Namespace, report: Report) -> str:
    """What of the run could not be held against the golden run that the options name; empty if all could."""
    lost = dict.fromkeys(row.output for row in unpartnered(report.rows))
    return f"The golden run has no error for: {', '.join(lost)}." if options.golden and lost else ""


def golden_passed(options: argparse.Namespace, report: Report) -> bool:
    """Whether every compiled row is in the golden run that the options name, if any, and not 10 times as far off."""
    return options.golden is None or not (worsened(report.rows) or unpartnered(report.rows))
