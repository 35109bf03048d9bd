"""`engine doctor`: checks the installation."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from engine.cli.command import Command, Outcome, add_json_flag


def _add_options(parser: Any) -> None:
    add_json_flag(parser)


def _run(options: argparse.Namespace) -> Outcome:
    from engine.report.doctor import examine_installation, format_findings

    findings = examine_installation()
    listed = [{**asdict(finding), "outcome": finding.outcome.value} for finding in findings]
    return Outcome(listed, format_findings(findings), not any(finding.failed for finding in findings))


COMMAND = Command("doctor", "Check this installation.", _add_options, _run)
