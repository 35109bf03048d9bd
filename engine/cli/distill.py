"""`engine distill`: trains students of a model's LSTMs, from generating the data to writing the file."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.cli.command import Command, Outcome, add_json_flag, add_model
from engine.cli.progress import Steps, show_line
from engine.errors import InvalidRequest
from engine.models.checkpoints import install_students, model_config, open_checkpoint, with_students
from engine.system.atomic_write import ensure_folder
from engine.system.cores import check_threads
from engine.training.distillation import (
    CORRECTIONS,
    DEFAULT_SHARDS,
    FRAME_CORRECTIONS,
    DistillOptions,
    evaluate,
    export,
    make_data,
    scaled_minutes,
    train,
)

_ACTIONS = {
    "data": "generate training data (resumes automatically)",
    "train": "train the students (resumes from the last checkpoint)",
    "export": "write the current students to one file",
    "evaluate": "score students against their teacher on held-out sentences",
    "compare": "build and time the model’s LSTMs, and the students installed with it, stage by stage",
}
_WITHOUT_WORK = ("compare",)
_FILE = "students.safetensors"


def _add_options(parser: Any) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="action")
    for name, summary in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        add_model(action)
        if name not in _WITHOUT_WORK:
            action.add_argument(
                "--work-dir", type=Path, required=True, help="folder for data, checkpoints, and the students"
            )
        add_json_flag(action)
        _OPTIONS[name](action)


def _add_data_options(action: Any) -> None:
    action.add_argument(
        "--shards", type=int, default=DEFAULT_SHARDS, help="number of shards, each of 100 texts (default: %(default)s)"
    )


def _add_training_options(action: Any) -> None:
    action.add_argument("--minutes", type=float, help="scale the whole training to about this many CPU minutes")


def _add_export_options(action: Any) -> None:
    action.add_argument("--output", type=Path, help=f"the file (default: WORK_DIR/{_FILE})")
    cell = "corrections by the LSTM’s own cell"
    action.add_argument("--corrections", type=int, default=CORRECTIONS, help=f"{cell} (default: %(default)s)")
    action.add_argument(
        "--frame-corrections", type=int, default=FRAME_CORRECTIONS, help="the same over frames (default: %(default)s)"
    )
    action.add_argument("--install", action="store_true", help="install them with the model")


def _add_evaluation_options(action: Any) -> None:
    action.add_argument("--students", type=Path, help=f"the file (default: WORK_DIR/{_FILE}); it keeps the scores")
    action.add_argument(
        "--sentences", type=int, default=200, help="number of the 200 sentences, in five voices (default: all)"
    )
    action.add_argument("--spoken", type=int, default=0, help="number of them to render as well (default: none)")


def _add_comparison_options(action: Any) -> None:
    action.add_argument("--tokens", type=int, nargs="+", metavar="N", help="lengths to time (default: 8 to 510)")
    action.add_argument("--threads", type=int, help="number of CPU threads (default: one per core)")
    action.add_argument("--rounds", type=int, default=5, help="rounds; the fastest counts (default: %(default)s)")


_OPTIONS: dict[str, Callable[[Any], None]] = {
    "data": _add_data_options,
    "train": _add_training_options,
    "export": _add_export_options,
    "evaluate": _add_evaluation_options,
    "compare": _add_comparison_options,
}


def _distill_options(options: argparse.Namespace) -> DistillOptions:
    """Convert parsed options for the engine. Raises `InvalidRequest` for numbers that are not above zero."""
    names = ("shards", "minutes", "corrections", "frame_corrections")
    given = {name: getattr(options, name) for name in names if getattr(options, name, None) is not None}
    for name, value in given.items():
        if not value > 0:
            raise InvalidRequest(f"--{name.replace('_', '-')} {value:g} is too small.", "Use a number above zero.")
    if "minutes" in given:
        given["minutes"] = scaled_minutes(given["minutes"])
    return DistillOptions(options.model, options.work_dir, weights=options.weights, **given)


def _run(options: argparse.Namespace) -> Outcome:
    if options.action == "compare":
        return _compare(options)
    chosen = _distill_options(options)
    ensure_folder(options.work_dir)
    default = options.work_dir / _FILE
    if options.action == "evaluate":
        return _evaluate(options, chosen, options.students or default)
    if options.action == "export":
        made = export(chosen, options.output or default)
        if options.install:
            made = install_students(made, options.model).path
    else:
        step = make_data if options.action == "data" else train
        made = step(chosen, lambda progress: show_line(str(progress)))
    return Outcome(str(made), str(made))


def _check_tokens(counts: Sequence[int], max_tokens: int) -> None:
    for count in counts:
        if not 1 <= count <= max_tokens:
            raise InvalidRequest(
                f"This model doesn’t take {count} tokens.", f"Use whole numbers from 1 to {max_tokens}."
            )


def _compare(options: argparse.Namespace) -> Outcome:
    limit = model_config(options.model).token_limit
    _check_tokens(options.tokens or [], limit)
    if options.rounds < 1:
        raise InvalidRequest(f"--rounds {options.rounds} is too small.", "Use a whole number above zero.")
    check_threads(options.threads)
    checkpoint = with_students(open_checkpoint(options.model, options.weights))
    from engine.training.distillation.comparison import (  # imports torch and tvm
        TOKEN_COUNTS,
        compare_prosody,
        comparison_text,
    )

    with Steps() as steps:
        counts = options.tokens or [count for count in TOKEN_COUNTS if count <= limit]
        compared = compare_prosody(checkpoint, steps.show, counts, options.rounds, options.threads)
    return Outcome(asdict(compared), comparison_text(compared))


def _evaluate(options: argparse.Namespace, chosen: DistillOptions, path: Path) -> Outcome:
    scores = evaluate(chosen, path, options.sentences, options.spoken, lambda done: show_line(f"evaluated {done:4.0%}"))
    return Outcome(scores, "\n".join(f"{voice}: {_format_scores(each)}" for voice, each in scores.items()))


def _format_scores(scores: Mapping[str, Any]) -> str:
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


DISTILL = Command("distill", "Distill a model’s LSTMs into Transformers.", _add_options, _run)
