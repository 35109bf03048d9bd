"""Tests of a report's conclusions from its rows."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest

from engine.compiler.artifacts.manifest import CPU, expected_identity
from engine.models.checkpoints import open_checkpoint
from engine.speech import SpeechRequest
from engine.validator.data.results import (
    DurationMetrics,
    InputSource,
    Metrics,
    Regime,
    Report,
    Row,
    ValidationRequest,
    Verdict,
)
from engine.validator.data.run_context import (
    Build,
    RunContext,
    RunKey,
    builds_apart,
    run_key_difference,
)
from engine.validator.data.verdicts import (
    aligned,
    findings,
    isolated,
    propagated,
    severity,
    worst,
)
from engine.validator.runs.versions import circumstances_of
from tests.starter_voices import MALE

REQUEST = ValidationRequest(SpeechRequest("Hello.", MALE))


def report(verdict: Verdict, regime: str) -> Report:
    row = Row(0, "bert", "text_features", regime, Regime.DYNAMIC, InputSource.ISOLATED, verdict, 0.99999)
    return Report(REQUEST, (), (row,), (), {})


@pytest.mark.parametrize(
    ("regime", "expected"), [("compiled", True), ("compiled with f0n from dynamic", True), ("upstream", False)]
)
def test_only_compiled_regimes_decide(regime: str, expected: bool) -> None:
    (row,) = report(Verdict.PASS, regime).rows
    assert row.decides is expected


@pytest.mark.parametrize(
    ("verdict", "regime", "passed"),
    [
        *((verdict, Regime.COMPILED, True) for verdict in (Verdict.PASS, Verdict.INHERITED, Verdict.INCOMPARABLE)),
        (Verdict.FAIL, Regime.COMPILED, False),
        (Verdict.FAIL, "compiled with decoder from dynamic", False),
        (Verdict.FAIL, Regime.STATIC_NO_PACK, True),
    ],
)
def test_a_report_passes_unless_a_compiled_stage_is_itself_wrong(verdict: Verdict, regime: str, passed: bool) -> None:
    assert report(verdict, regime).passed is passed


def test_students_can_fail_the_report_only_against_the_same_students() -> None:
    row = report(Verdict.FAIL, Regime.DISTILLED).rows[0]
    assert row.of_teacher
    assert report(Verdict.FAIL, Regime.DISTILLED).passed
    in_torch = replace(row, reference=Regime.STATIC_DISTILLED)
    assert not in_torch.of_teacher
    assert not replace(report(Verdict.FAIL, Regime.DISTILLED), rows=(in_torch,)).passed


@pytest.fixture(scope="module")
def now() -> RunContext:
    checkpoint = open_checkpoint()
    request = ValidationRequest(SpeechRequest("Say it.  Or not.", MALE, start=8))
    return circumstances_of(checkpoint, request, expected_identity(checkpoint.config, CPU))


def test_only_the_spoken_text_counts(now: RunContext) -> None:
    assert now.subject.text == "Or not."
    assert now.subject.weights == open_checkpoint().identity
    assert (now.subject.device, now.subject.lstm_method, now.subject.precision) == ("cpu", "tir", "float32")


@pytest.mark.parametrize("name", [field.name for field in fields(RunKey)])
def test_each_difference_has_a_name(now: RunContext, name: str) -> None:
    value = getattr(now.subject, name)
    other = replace(now.subject, **{name: value + 1 if isinstance(value, float | int) else "other"})
    assert run_key_difference(now.subject, now.subject) == ""
    assert run_key_difference(now.subject, other).startswith("a different ")


def test_builds_differ_by_sources_compiler_and_cpu(now: RunContext) -> None:
    build = now.build
    assert build.processor
    assert builds_apart(build, build) == ""
    assert builds_apart(replace(build, compiler_source_hash="0"), build) == "different compiler sources"
    assert (
        builds_apart(Build("0", "0.1", "abacus"), build) == "different compiler sources and TVM 0.1 and the CPU abacus"
    )


TOLERANCE = 0.99999
EXACT = Metrics(1.0, 1.0, None, 0.0, 0.0, 100.0)
NEAR = Metrics(0.9999, 0.9999, 40.0, 0.01, 0.01, 100.0)
FAR = Metrics(0.9, 0.9, 7.0, 0.5, 0.4, 100.0)


def row(stage: str, verdict: Verdict, metrics: Metrics = FAR, regime: str = Regime.COMPILED) -> Row:
    return Row(0, stage, "x", regime, Regime.DYNAMIC, InputSource.ISOLATED, verdict, TOLERANCE, metrics)


@pytest.mark.parametrize(
    "metrics",
    [
        FAR,
        replace(EXACT, relative_l2=0.01),  # twice the amplitude correlates perfectly
        replace(EXACT, finite_percent=99.9),
        replace(EXACT, pearson=None),
    ],
)
def test_a_different_shape_a_different_level_and_a_nan_all_fail(metrics: Metrics) -> None:
    assert isolated(metrics, TOLERANCE) is Verdict.FAIL


def test_being_nearer_than_upstream_is_enough() -> None:
    assert propagated(NEAR, TOLERANCE, FAR, Verdict.PASS) is Verdict.PASS
    assert propagated(FAR, TOLERANCE, NEAR, Verdict.PASS) is Verdict.INHERITED
    assert propagated(FAR, TOLERANCE, None, Verdict.FAIL) is Verdict.FAIL
    assert propagated(replace(NEAR, finite_percent=50), TOLERANCE, FAR, Verdict.PASS) is Verdict.INHERITED


def test_durations_are_equal_or_could_round_either_way() -> None:
    assert aligned(DurationMetrics(0, 0, 9, 9), Verdict.FAIL) is Verdict.PASS
    assert aligned(DurationMetrics(1, 1, 10, 9), Verdict.FAIL) is Verdict.PASS
    assert aligned(DurationMetrics(2, 1, 11, 9), Verdict.FAIL) is Verdict.FAIL
    assert aligned(DurationMetrics(2, 1, 11, 9), Verdict.PASS) is Verdict.INHERITED


def test_the_first_wrong_stage_is_named_regardless_of_row_order() -> None:
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


def test_inherited_faults_and_activations_name_no_stage() -> None:
    assert findings([row("decoder", Verdict.INHERITED), replace(row("decoder", Verdict.FAIL), probe=True)]) == ()


def ranked(verdict: Verdict = Verdict.PASS, pearson: float | None = 1.0, regime: str = "compiled") -> Row:
    error = None if pearson is None else math.sqrt(2 * (1 - pearson))
    metrics = Metrics(pearson, pearson, 1.0, error, error, 100.0)
    return Row(0, "bert", "text_features", regime, "dynamic", InputSource.END_TO_END, verdict, 0.99999, metrics)


def test_a_verdict_outweighs_a_correlation() -> None:
    assert severity(ranked(Verdict.FAIL, 0.99)) > severity(ranked(Verdict.INHERITED, 0.1))


def test_among_equal_verdicts_the_lower_correlation_is_worse() -> None:
    assert severity(ranked(pearson=0.999991)) > severity(ranked(pearson=0.999999))
    assert severity(ranked(Verdict.FAIL, None)) > severity(ranked(Verdict.FAIL, -1.0))


def test_durations_are_ranked_by_the_tokens_that_differ() -> None:
    def durations(differing: int) -> Row:
        found = DurationMetrics(differing, 0, 10, 10)
        names = "alignment", "frame_token", "compiled", "dynamic"
        return Row(0, *names, InputSource.END_TO_END, Verdict.FAIL, 1.0, durations=found)

    assert severity(durations(2)) > severity(durations(1))


def test_the_worst_is_the_first_of_equals() -> None:
    first, second = ranked(pearson=0.5), ranked(pearson=0.5)
    assert worst([ranked(), first, second]) is first
