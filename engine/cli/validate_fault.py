"""`engine validate --fault`: a fault drill, or the list of faults that can be planted."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from engine.cli.command import Outcome
from engine.faults.catalogue import FAULTS, fault_named
from engine.system.paths import sample_text_path

LIST = "list"
"""Stands for no fault: all are listed."""


def add_fault(parser: Any) -> None:
    """Add the option that names a fault."""
    parser.add_argument(
        "--fault", default="", metavar="NAME", help=f"plant a fault first, to see it found; `{LIST}` lists them"
    )


def usual_text(fault: str) -> str:
    """What is spoken when no text is given: one that shows the fault, or the sample text."""
    shows_it = fault_named(fault).text if fault else ""
    return shows_it or sample_text_path().read_text(encoding="utf-8")


def listed() -> Outcome:
    """Every fault, by name."""
    lines = [f"{fault.name:<24} {fault.stage:<13} {fault.planted}" for fault in FAULTS]
    return Outcome([asdict(fault) for fault in FAULTS], "\n".join(lines))
