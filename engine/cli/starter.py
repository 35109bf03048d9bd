"""`engine train-starter` and `engine evaluate-starter`: train and score the bundled model."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.command import Command, Outcome, add_json_flag
from engine.cli.progress import show_line
from engine.system.atomic_write import ensure_folder
from engine.training.starter import ROUNDS, STAGE_MINUTES, TrainOptions, evaluate, train

if TYPE_CHECKING:
    from engine.training.starter.evaluation import VoiceScore


def _add_training_options(parser: Any) -> None:
    parser.add_argument(
        "--work-dir", type=Path, required=True, help="folder for data and checkpoints; training resumes from it"
    )
    parser.add_argument("--output-dir", type=Path, help="folder for the finished model (default: WORK_DIR/package)")
    parser.add_argument("--from", dest="start", type=Path, metavar="PACKAGE", help="start from this package’s weights")
    parser.add_argument("--stages", nargs="+", choices=tuple(STAGE_MINUTES), help="only these (default: all)")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"shards of training data for each voice (default: {ROUNDS})"
    )
    parser.add_argument("--minutes", type=float, help="scale the whole training to about this many CPU minutes")


def _train(options: argparse.Namespace) -> Outcome:
    chosen = TrainOptions.from_arguments(options)
    ensure_folder(chosen.work_folder)
    ensure_folder(chosen.output_folder)
    folder = str(train(chosen, lambda progress: show_line(str(progress))))
    return Outcome(folder, folder)


def _add_evaluation_options(parser: Any) -> None:
    parser.add_argument("--sentences", type=int, default=100, help="how many of the 100 (default: all)")
    parser.add_argument("--package", type=Path, help="the model to score (default: the bundled one)")
    parser.add_argument("--work-dir", type=Path, help="folder of the teacher’s recordings, created if needed")
    add_json_flag(parser)


def _evaluate(options: argparse.Namespace) -> Outcome:
    if options.work_dir is not None:
        ensure_folder(options.work_dir)
    scores = evaluate(options.sentences, options.package, options.work_dir, show_line)
    return Outcome([asdict(score) for score in scores], "\n".join(map(_line, scores)))


def _line(score: VoiceScore) -> str:
    return (
        f"{score.voice}: word error rate {score.word_error_rate:.3f} (teacher {score.teacher_word_error_rate:.3f}), "
        f"DNSMOS {score.opinion:.2f} ({score.teacher_opinion:.2f}), log-mel {score.log_mel:.3f}, "
        f"STOI {score.intelligibility:.3f}, durations {score.duration_frames:.2f} frames, F0 {score.f0_cents:.0f} cents"
    )


TRAIN = Command(
    "train-starter", "Train the bundled starter model, with Kokoro-82M as the teacher.", _add_training_options, _train
)
EVALUATE = Command(
    "evaluate-starter", "Evaluate the starter voices against Kokoro-82M.", _add_evaluation_options, _evaluate
)
