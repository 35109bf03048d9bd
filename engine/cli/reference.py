"""`engine reference`: adds PyTorch and the original network, which comparing needs, to a bundle of the program."""

from __future__ import annotations

import argparse
import subprocess
import sys
from typing import Any

from engine.cli.command import Command, Outcome
from engine.errors import DownloadError, MissingReference
from engine.system.bundle import added_packages_folder, reference_requirements, require_reference
from engine.system.child_process import python_command

_ARGUMENTS = ("--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")


def add_command() -> tuple[str, ...]:
    """The command that has pip put what is missing into the user's folder; which index it asks is pip's own setting."""
    target = str(added_packages_folder())
    return python_command("pip", "install", "--upgrade", "--target", target, *_ARGUMENTS, *reference_requirements())


def _add_options(parser: Any) -> None:
    """There is nothing to choose."""


def _run(options: argparse.Namespace) -> Outcome:
    try:
        require_reference()
    except MissingReference:
        if subprocess.run(add_command(), stdout=sys.stderr, check=False).returncode:
            raise DownloadError("What comparing needs was not added.", "See pip's message above.") from None
        return Outcome(None, f"Added, in {added_packages_folder()}.")
    return Outcome(None, "Everything that comparing needs is installed.")


COMMAND = Command("reference", "Add what comparing with PyTorch needs to the bundle.", _add_options, _run)
