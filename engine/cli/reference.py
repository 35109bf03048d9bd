"""`engine reference`: adds PyTorch and the original network, which comparisons need, to a bundle of the program."""

from __future__ import annotations

import argparse
from typing import Any

from engine.cli.command import Command, Outcome
from engine.cli.progress import show_line
from engine.errors import MissingReference
from engine.system.bundle import added_packages_folder, require_reference


def _add_options(parser: Any) -> None:
    """Do nothing: there are no options."""


def _run(options: argparse.Namespace) -> Outcome:
    try:
        require_reference()
    except MissingReference:
        from engine.models.packages import add_reference

        add_reference(show_line)
        return Outcome(None, f"Installed in {added_packages_folder()}.")
    return Outcome(None, "Everything needed for comparison is installed.")


COMMAND = Command("reference", "Install PyTorch and the original model into the bundle.", _add_options, _run)
