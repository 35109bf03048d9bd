"""`engine distill`: students of a model's LSTMs, from the data they learn from to the file of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.cli.command import Command, Outcome, add_model
from engine.cli.progress import show_line
from engine.distillation import (
    CORRECTIONS,
    DEFAULT_SHARDS,
    DistillOptions,
    evaluate,
    export,
    make_data,
    scaled_minutes,
    train,
)
from engine.errors import InvalidRequest

_ACTIONS = {
    "data": "make what the students learn from; goes on where it was interrupted",
    "train": "teach the students; goes on from the last checkpoints",
    "export": "write the students, as they are now, into one file",
    "evaluate": "score a file of students against their teacher on held-out sentences",
}
_FILE = "students.safetensors"


def _add_options(parser: Any) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")
    for name, summary in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        add_model(action)
        action.add_argument("--work-dir", type=Path, required=True, help="data, checkpoints and the file of students")
        action.add_argument("--json", action="store_true", help="the outcome as JSON")
        _OPTIONS[name](action)


def _add_data_options(action: Any) -> None:
    action.add_argument("--shards", type=int, default=DEFAULT_SHARDS, help="of 100 texts each (default: %(default)s)")


def _add_training_options(action: Any) -> None:
    action.add_argument("--minutes", type=float, help="scale the whole training to about this many CPU minutes")


def _add_export_options(action: Any) -> None:
    action.add_argument("--output", type=Path, help=f"the file (default: WORK_DIR/{_FILE})")
    action.add_argument(
        "--corrections", type=int, default=CORRECTIONS, help="by the LSTM's own cell (default: %(default)s)"
    )


def _add_evaluation_options(action: Any) -> None:
    action.add_argument("--students", type=Path, help=f"the file (default: WORK_DIR/{_FILE}); it keeps the scores")
    action.add_argument("--sentences", type=int, default=200, help="how many of the 200 (default: all)")
    action.add_argument("--spoken", type=int, default=0, help="how many of them are rendered, too (default: none)")


_OPTIONS: dict[str, Callable[[Any], None]] = {
    "data": _add_data_options,
    "train": _add_training_options,
    "export": _add_export_options,
    "evaluate": _add_evaluation_options,
}


def _distill_options(options: argparse.Namespace) -> DistillOptions:
    """Options for the engine; raises `InvalidRequest` for numbers that are not above zero."""
    chosen = DistillOptions(options.model, options.work_dir, weights=options.weights)
    for name in ("shards", "minutes", "corrections"):
        value = getattr(options, name, None)
        if value is not None and not value > 0:
            raise InvalidRequest(f"--{name} {value} makes no sense.", "Give a number above zero.")
    if getattr(options, "minutes", None) is not None:
        chosen = replace(chosen, minutes=scaled_minutes(options.minutes))
    return replace(chosen, shards=getattr(options, "shards", DEFAULT_SHARDS))


def _run(options: argparse.Namespace) -> Outcome:
    chosen = _distill_options(options)
    default = options.work_dir / _FILE
    if options.action == "evaluate":
        return _evaluate(options, chosen, options.students or default)
    if options.action == "export":
        made = export(chosen, options.output or default, options.corrections)
    else:
        step = make_data if options.action == "data" else train
        made = step(chosen, lambda progress: show_line(str(progress)))
    return Outcome(str(made), str(made))


def _evaluate(options: argparse.Namespace, chosen: DistillOptions, path: Path) -> Outcome:
    scores = evaluate(chosen, path, options.sentences, options.spoken, lambda done: show_line(f"evaluated {done:4.0%}"))
    return Outcome(scores, "\n".join(f"{voice}: {_in_words(each)}" for voice, each in scores.items()))


def _in_words(scores: Mapping[str, Any]) -> str:
    words = [
        f"{scores['equal_durations_percent']:.1f} % of {scores['tokens']} durations equal",
        f"{scores['far_durations']} off by more than two frames",
        f"F0 {scores['f0_cents_rms']:.1f} cents rms",
        f"energy {scores['energy_rms']:.3f} rms",
    ]
    if scores["log_mel_l1"] is not None:
        words.append(f"log-mel L1 {scores['log_mel_l1']:.3f}")
        words.append(
            f"word error rate {scores['word_error_rate']:.3f}, teacher {scores['teacher_word_error_rate']:.3f}"
        )
    return ", ".join(words)


DISTILL = Command("distill", "Teach Transformers to stand in for a model's LSTMs.", _add_options, _run)
