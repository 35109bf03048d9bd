"""`engine learn-presets`: learns the amounts of the presets from a model's own contours."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from engine.cli.command import Command, Outcome, add_json_flag, add_model, model_with
from engine.cli.progress import Steps
from engine.runtime.presets import table_path
from engine.runtime.synthesizer import Synthesizer
from engine.training.presets import write_table


def add_options(parser: Any) -> None:
    """Add the options: the model, and where the table goes."""
    parser.add_argument("--out", type=Path, default=table_path(), help="the table (default: the one in use)")
    add_json_flag(parser)
    add_model(parser)


def learn_presets(options: argparse.Namespace) -> Outcome:
    """Learn and write the table. Raises `MissingModel`, `DamagedFile` or `OutputError`."""
    synthesizer = Synthesizer(model_with(options, None), weights=options.weights)
    with Steps() as steps:
        table = write_table(synthesizer, options.out, steps.expect_step)
    return Outcome(table, json.dumps(table["presets"], indent=1))


COMMAND = Command(
    "learn-presets", "Learn the amounts of rises, falls and emphasis from a model.", add_options, learn_presets
)
