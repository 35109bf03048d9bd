"""The options of `engine benchmark`, and what they ask for.

It does not know how anything is counted, and prints nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.artifacts import write_atomically
from engine.audio_file import ensure_writable, write_error
from engine.benchmark.estimate import estimate_metal
from engine.benchmark.estimate_data import as_data
from engine.benchmark.estimate_words import in_words
from engine.checkpoints import model_config
from engine.errors import InvalidRequest

STANDARD_OUTPUT = Path("-")
DEFAULT_SECONDS = 10.0
TARGETS = ("metal",)


@dataclass(frozen=True)
class Outcome:
    """What to show: figures for JSON, and the same in words."""

    data: dict[str, Any]
    words: str


def add_options(parser: argparse.ArgumentParser | Any) -> None:
    """Everything but the model, which every command has."""
    parser.add_argument("--estimate", metavar="TARGET", help="metal: on paper, from the compiled modules, for Macs")
    parser.add_argument("--seconds", type=float, default=DEFAULT_SECONDS, help="of audio (default: 10)")
    parser.add_argument("--json", type=Path, nargs="?", const=STANDARD_OUTPUT, metavar="FILE", help="all figures")


def outcome_of(options: argparse.Namespace, report: Callable[[str], None]) -> Outcome:
    """Do what the options ask for; `report` gets a line per step. Writes the JSON file if one is named.

    Raises `InvalidRequest`, `CompileError`.
    """
    if options.estimate not in TARGETS:
        raise InvalidRequest("There is nothing to benchmark.", "Say what: “--estimate metal”.")
    to_file = options.json not in (None, STANDARD_OUTPUT)
    if to_file:
        ensure_writable(options.json)
    config = model_config(options.model)
    estimate = estimate_metal(options.model, config, options.seconds, lambda stage: report(f"Counted {stage}"))
    outcome = Outcome(as_data(estimate), in_words(estimate))
    if to_file:
        _write(options.json, json.dumps(outcome.data, indent=2))
    return outcome


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise write_error(path, error) from error
