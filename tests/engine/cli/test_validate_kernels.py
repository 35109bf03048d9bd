"""`engine validate --kernels`: what it prints and what it writes."""

from __future__ import annotations

import argparse

from engine.cli.command import Outcome
from engine.cli.validate import add_options, outcome_of


def outcome(*arguments: str) -> Outcome:
    parser = argparse.ArgumentParser()
    add_options(parser)
    options = parser.parse_args(["--text", "Hi.", "--device", "cpu", "--regimes", "compiled", *arguments])
    return outcome_of(options, lambda: "all is well", lambda event: None)


def test_a_faulty_kernel_is_named_in_words_and_figures() -> None:
    made = outcome("--fault", "shifted-frame", "--kernels")
    assert not made.passed
    assert "Its kernel inverse_stft (inverse_stft, engine/network/exportable/speech.py:" in " ".join(made.words.split())
    (stage,) = made.data["kernels"]["stages"]
    (kernel,) = stage["kernels"]
    assert (stage["stage"], kernel["kernel"], kernel["verdict"]) == ("istft", "inverse_stft", "wrong")
    (finding,) = made.data["kernels"]["findings"]
    assert finding["node"] == kernel["node"]


def test_a_healthy_stage_is_told_to_be_so() -> None:
    made = outcome("--kernels", "istft, source")
    assert made.passed
    assert "No kernel is wrong in source, istft." in made.words
    assert "istft: 1 kernel" in made.words


def test_without_a_stage_that_fails_nothing_is_looked_into() -> None:
    made = outcome("--kernels")
    assert made.passed
    assert "No stage is wrong" in made.words
    assert made.data["kernels"] == {"stages": [], "findings": []}


def test_kernels_are_left_out_unless_asked_for() -> None:
    assert outcome().data["kernels"] is None
