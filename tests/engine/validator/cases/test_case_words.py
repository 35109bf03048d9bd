"""Failing cases in words."""

import shlex
from dataclasses import replace

import numpy as np

from engine.validator.cases.case_run import CaseRun, case_words, element_lines, reduction_words, run_words
from engine.validator.cases.reduction import Reduction
from engine.validator.data import wording
from engine.validator.measures.element_errors import element_errors
from tests.engine.validator.cases.test_case import CASE, FEATURES, ROW

OURS = FEATURES + np.array([0, 0, 9], np.float32)
ELEMENTS = element_errors(OURS, FEATURES, 0.99999, 2)
REDUCTION = Reduction(CASE, ELEMENTS, original_phonemes=14, tries=1, seconds=2.5, complete=True)


def test_a_reduction_says_what_is_left_and_how_to_run_it() -> None:
    words = reduction_words(REDUCTION, "case.safetensors")
    assert "Reduced to 2 phonemes of 14: hə (1 try, 2.5 s)" in words
    assert "Phoneme features (text_encoder) in compiled-padded against dynamic: phoneme_features" in words
    assert "Inputs: tokens: 14 to 1" in words
    assert "First wrong: [0, 0, 2] ours 11, reference 2, 19,922,944 ULPs apart" in words
    assert words.endswith("Run it again: python -m engine validate --case case.safetensors")
    assert "Time was up" not in words


def test_a_reduction_that_was_cut_short_says_so() -> None:
    assert "Time was up: a smaller case may exist." in reduction_words(replace(REDUCTION, complete=False))


def test_the_shortest_text_has_a_command_of_its_own() -> None:
    (line,) = (line for line in reduction_words(REDUCTION).splitlines() if line.startswith("The text alone: "))
    assert "--phonemes=hə" in shlex.split(line)
    assert "--regimes=compiled-padded" in shlex.split(line)


def test_the_histogram_counts_everything() -> None:
    lines = list(element_lines(ELEMENTS))
    assert lines[0].startswith("4 of 12 elements wrong")
    counts = [int(line.split()[-2].replace(",", "")) for line in lines[3:]]
    assert sum(counts) == 12
    assert any(line.startswith("  none") and line.endswith("#" * 40) for line in lines)


def test_what_is_not_finite_has_a_bar_of_its_own() -> None:
    ours = OURS.copy()
    ours[0, 0, 0] = np.nan
    lines = list(element_lines(element_errors(ours, FEATURES, 0.99999, 2)))
    assert "ours nan, reference 0" in lines[1]
    assert lines[-1].startswith("  not finite")


def test_other_shapes_have_no_elements() -> None:
    assert list(element_lines(None)) == ["Ours and the reference's have different shapes."]


def test_a_run_says_whether_it_still_fails_and_what_is_otherwise() -> None:
    run = CaseRun(CASE, ROW, fails=True, elements=ELEMENTS, built_otherwise=("torch 4, then 2",))
    words = run_words(run)
    assert words.startswith("It still fails.")
    correlation = wording.row_correlation(ROW)
    assert f"Correlation {correlation}, when it was saved {correlation}" in words
    assert words.endswith("It was built otherwise:\n  torch 4, then 2")
    healed = run_words(replace(run, fails=False, built_otherwise=()))
    assert healed.startswith("It does not fail any more.")
    assert healed.endswith("It was built as it is here.")


def test_an_unreduced_case_says_where_it_is_and_how_to_run_it() -> None:
    words = case_words(CASE.facts, "my case.safetensors")
    assert words.startswith("Saved with 2 phonemes: hə\nPhoneme features (text_encoder)")
    assert words.endswith("--case 'my case.safetensors'")
