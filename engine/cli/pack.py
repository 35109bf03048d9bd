"""`engine pack`: packs a model's weights for its modules, in a short-lived process; speech starts it when needed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine.cli.command import Command, add_model, add_prosody
from engine.cli.progress import Steps, show_json
from engine.runtime.preparation.weights import pack


def _add_options(parser: Any) -> None:
    parser.add_argument("--modules", type=Path, required=True, help="the folder of the compiled modules")
    parser.add_argument("--progress-json", action="store_true", help=argparse.SUPPRESS)
    add_prosody(parser)
    add_model(parser)


def _run(options: argparse.Namespace) -> None:
    with Steps() as steps:
        report = show_json if options.progress_json else steps.show
        pack(options.model, options.weights, options.modules, report, options.prosody)


COMMAND = Command("pack", "Repack a model’s weights for its modules, as happens on first use.", _add_options, _run)
