"""`engine train-starter` and `engine evaluate-starter`: the bundled model, trained and scored."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.cli.command import Command, Outcome
from engine.cli.progress import show_line
from engine.starter import TrainOptions, evaluate, train


def _add_training_options(parser: Any) -> None:
    parser.add_argument("--work-dir", type=Path, required=True, help="data and checkpoints; resumes what is there")
    parser.add_argument("--output-dir", type=Path, help="where the finished model goes (default: WORK_DIR/package)")
    parser.add_argument("--minutes", type=float, help="scale the whole training to about this many CPU minutes")


def _train(options: argparse.Namespace) -> Outcome:
    folder = str(train(TrainOptions.from_arguments(options), lambda progress: show_line(str(progress))))
    return Outcome(folder, folder)


def _add_evaluation_options(parser: Any) -> None:
    parser.add_argument("--sentences", type=int, default=40, help="how many of the 40 (default: all)")
    parser.add_argument("--json", action="store_true")


def _evaluate(options: argparse.Namespace) -> Outcome:
    scores = evaluate(options.sentences)
    lines = [f"{score.voice}: word error rate {score.word_error_rate:.2f}" for score in scores]
    return Outcome([asdict(score) for score in scores], "\n".join(lines))


TRAIN = Command("train-starter", "Train the bundled starter model from scratch.", _add_training_options, _train)
EVALUATE = Command("evaluate-starter", "Word error rate on the held-out sentences.", _add_evaluation_options, _evaluate)
