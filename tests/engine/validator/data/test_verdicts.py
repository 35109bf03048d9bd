"""Verdicts on stages: which of them is itself wrong."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.validator.data.results import DurationMetrics, Metrics, Reading, Regime, Row, Verdict
from engine.validator.data.verdicts import (
    BEST_TO_WORST,
    aligned,
    findings,
    isolated,
    propagated,
    severity,
    within,
    worst,
)

TOLERANCE = 0.99999
EXACT = Metrics(1.0, 1.0, None, 0.0, 0.0, 100.0)
NEAR = Metrics(0.9999, 0.9999, 40.0, 0.01, 0.01, 100.0)
FAR = Metrics(0.9, 0.9, 7.0, 0.5, 0.4, 100.0)


def row(stage: str, verdict: Verdict, metrics: Metrics = FAR, regime: str = Regime.COMPILED) -> Row:
    return Row(0, stage, "x", regime, Regime.DYNAMIC, Reading.REFERENCE_FED, verdict, TOLERANCE, metrics)


def test_equal_arrays_are_within_any_tolerance() -> None:
    assert within(EXACT, 1.0)


@pytest.mark.parametrize(
    "metrics",
    [
        FAR,
        replace(EXACT, relative_l2=0.01),  # twice as loud correlates perfectly
        replace(EXACT, finite_percent=99.9),
        replace(EXACT, pearson=None),
    ],
)
def test_neither_another_shape_nor_another_level_nor_a_nan_passes(metrics: Metrics) -> None:
    assert isolated(metrics, TOLERANCE) is Verdict.FAIL


def test_a_good_stage_inherits_what_reaches_it() -> None:
    assert propagated(FAR, TOLERANCE, None, Verdict.PASS) is Verdict.INHERITED


def test_a_wrong_stage_does_not_hide_behind_its_inputs() -> None:
    assert propagated(FAR, TOLERANCE, None, Verdict.FAIL) is Verdict.FAIL


def test_being_nearer_than_upstream_is_enough() -> None:
    assert propagated(NEAR, TOLERANCE, FAR, Verdict.PASS) is Verdict.PASS
    assert propagated(FAR, TOLERANCE, NEAR, Verdict.PASS) is Verdict.INHERITED
    assert propagated(replace(NEAR, finite_percent=50), TOLERANCE, FAR, Verdict.PASS) is Verdict.INHERITED


def test_durations_are_equal_or_could_round_either_way() -> None:
    assert aligned(DurationMetrics(0, 0, 9, 9), Verdict.FAIL) is Verdict.PASS
    assert aligned(DurationMetrics(1, 1, 10, 9), Verdict.FAIL) is Verdict.PASS
    assert aligned(DurationMetrics(2, 1, 11, 9), Verdict.FAIL) is Verdict.FAIL
    assert aligned(DurationMetrics(2, 1, 11, 9), Verdict.PASS) is Verdict.INHERITED


def test_the_first_wrong_stage_is_named_whatever_the_order_of_the_rows() -> None:
    rows = [row("decoder", Verdict.FAIL), row("duration", Verdict.FAIL), row("bert", Verdict.PASS)]
    (finding,) = findings(rows)
    assert (finding.regime, finding.stage) == ("compiled", "duration")
    assert "Durations" in finding.words
    assert "0.9" in finding.words


def test_of_a_stage_the_worst_output_is_named() -> None:
    bad = replace(row("f0n", Verdict.FAIL), output="energy", metrics=replace(FAR, pearson=0.1))
    (finding,) = findings([row("f0n", Verdict.FAIL), bad])
    assert "energy" in finding.words


def test_without_packing_the_finding_says_where_packing_matters() -> None:
    (finding,) = findings([row("duration", Verdict.FAIL, regime=Regime.STATIC_NO_PACK)])
    assert "packing matters" in finding.words


def test_inherited_faults_and_inner_values_name_no_stage() -> None:
    assert findings([row("decoder", Verdict.INHERITED), replace(row("decoder", Verdict.FAIL), probe=True)]) == ()


def ranked(verdict: Verdict = Verdict.PASS, pearson: float | None = 1.0, regime: str = "compiled") -> Row:
    error = None if pearson is None else math.sqrt(2 * (1 - pearson))
    metrics = Metrics(pearson, pearson, 1.0, error, error, 100.0)
    return Row(0, "bert", "text_features", regime, "dynamic", Reading.OWN_FED, verdict, 0.99999, metrics)


def test_every_verdict_has_its_rank() -> None:
    assert sorted(BEST_TO_WORST) == sorted(Verdict)


def test_a_verdict_outweighs_a_correlation() -> None:
    assert severity(ranked(Verdict.FAIL, 0.99)) > severity(ranked(Verdict.INHERITED, 0.1))


def test_among_equal_verdicts_the_lower_correlation_is_worse() -> None:
    assert severity(ranked(pearson=0.999991)) > severity(ranked(pearson=0.999999))
    assert severity(ranked(Verdict.FAIL, None)) > severity(ranked(Verdict.FAIL, -1.0))


def test_durations_are_ranked_by_the_tokens_that_differ() -> None:
    def durations(differing: int) -> Row:
        found = DurationMetrics(differing, 0, 10, 10)
        names = "alignment", "frame_token", "compiled", "dynamic"
        return Row(0, *names, Reading.OWN_FED, Verdict.FAIL, 1.0, durations=found)

    assert severity(durations(2)) > severity(durations(1))


def test_the_worst_of_none_is_none() -> None:
    assert worst([]) is None


def test_the_worst_is_the_first_of_equals() -> None:
    first, second = ranked(pearson=0.5), ranked(pearson=0.5)
    assert worst([ranked(), first, second]) is first
