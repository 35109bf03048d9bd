"""What every command of the command line is made of, and what it has to say when it is done."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.model_store.checkpoints import MODEL_NAMES, default_model
from engine.system.whole_file import whole_file

STANDARD_OUTPUT = Path("-")
_BEST = ""


@dataclass(frozen=True)
class Outcome:
    """What a command has to say: `data` for --json, `words` for people.

    The exit code is 1 unless it `passed`; `error` is reported after the rest.
    """

    data: Any
    words: str
    passed: bool = True
    error: EngineError | None = None


def _nothing(options: argparse.Namespace) -> str:
    return ""


@dataclass(frozen=True)
class Command:
    """A command: its name, a line of help, its options, and what it does with them.

    `run` raises `EngineError` for whatever the user can do something about. `left_behind` says, in a sentence, what an
    interrupted run leaves.
    """

    name: str
    summary: str
    add_options: Callable[[Any], None]
    run: Callable[[argparse.Namespace], Outcome | None]
    left_behind: Callable[[argparse.Namespace], str] = _nothing


def add_model(parser: Any, inherited: bool = False) -> None:
    """Add --model and --weights; `inherited` ones keep what the options before them say."""
    kept: dict[str, Any] = {"default": argparse.SUPPRESS} if inherited else {}
    known = f"one of: {', '.join(MODEL_NAMES)} (default: the best that is here)"
    parser.add_argument("--model", type=_model_name, **{"default": _BEST, "help": known, **kept})
    parser.add_argument("--weights", help="random:SEED instead of trained weights, for trying an architecture", **kept)


def _model_name(word: str) -> str:
    """The model that is meant; argparse calls this for the default too, when no other model is named."""
    try:
        return default_model() if word == _BEST else word
    except EngineError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_json_file(parser: Any) -> None:
    """Add --json, which may name a file."""
    parser.add_argument("--json", type=Path, nargs="?", const=STANDARD_OUTPUT, metavar="FILE", help="all figures")


def printed(options: argparse.Namespace, outcome: Outcome) -> str:
    """What goes to standard output: JSON when it was asked for there, else words."""
    wants_json = getattr(options, "json", None) in (True, STANDARD_OUTPUT)
    return json.dumps(outcome.data, indent=2, ensure_ascii=False) if wants_json else outcome.words


def save_json(options: argparse.Namespace, outcome: Outcome) -> None:
    """Write the file that --json names, if it names one; raises `OutputError`."""
    if options.json not in (None, STANDARD_OUTPUT):
        with whole_file(options.json) as file:
            file.write(json.dumps(outcome.data, indent=2, ensure_ascii=False).encode())
