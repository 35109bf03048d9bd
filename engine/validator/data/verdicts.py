"""Judges comparisons: within tolerance, itself wrong, or inheriting an earlier fault; and ranks rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from engine.stages import STAGES
from engine.validator.data.results import (
    ALL_FINITE_PERCENT,
    DurationMetrics,
    Finding,
    InputSource,
    Metrics,
    Regime,
    Row,
    Verdict,
)
from engine.validator.data.wording import correlation, counted, magnitude, times
from engine.validator.inspection.results import KernelFinding

BEST_TO_WORST = (Verdict.PASS, Verdict.WORSE, Verdict.INHERITED, Verdict.INCOMPARABLE, Verdict.FAIL, Verdict.CRASHED)


def isolated(metrics: Metrics, tolerance: float) -> Verdict:
    """Return the verdict on an isolated stage."""
    return Verdict.PASS if within(metrics, tolerance) else Verdict.FAIL


def propagated(metrics: Metrics, tolerance: float, noise_floor: Metrics | None, itself: Verdict) -> Verdict:
    """Return the verdict on a stage run end to end; `itself` is the verdict on the isolated stage.

    An error no larger than that of Kokoro's own float32 run (`noise_floor`) passes: the model is no better conditioned
    than that.
    """
    if within(metrics, tolerance) or (noise_floor is not None and _is_nearer(metrics, noise_floor)):
        return Verdict.PASS
    return Verdict.INHERITED if itself is Verdict.PASS else Verdict.FAIL


def aligned(durations: DurationMetrics, itself: Verdict) -> Verdict:
    """Return the verdict on durations in whole frames, which pass if they are equal or differ only by rounding ties.

    `itself` is the verdict on the isolated stage.
    """
    if durations.differing_tokens == durations.ties:
        return Verdict.PASS
    return Verdict.INHERITED if itself is Verdict.PASS else Verdict.FAIL


def within(metrics: Metrics, tolerance: float) -> bool:
    """Return whether two arrays agree: by correlation, and by an error that is small enough for it.

    Correlation alone ignores scale and offset. Arrays of equal scale and mean that correlate at r differ by sqrt(2 (1 -
    r)) of their norm. A phase of pi with the wrong sign is no error on the circle, but it is one to the decoder.
    """
    if metrics.finite_percent < ALL_FINITE_PERCENT or metrics.pearson is None or metrics.relative_l2 is None:
        return False
    if metrics.sign_flips:
        return False
    return metrics.pearson >= tolerance and metrics.relative_l2 <= math.sqrt(2 * (1 - tolerance))


def findings(rows: Iterable[Row]) -> tuple[Finding, ...]:
    """Return the first stage of every regime that is itself wrong, with its worst output and first wrong activation."""
    failed: dict[str, list[Row]] = {}
    for row in rows:
        if row.reading is InputSource.ISOLATED and row.verdict is Verdict.FAIL:
            failed.setdefault(row.regime, []).append(row)
    outputs = {regime: [row for row in failures if not row.probe] for regime, failures in failed.items()}
    return tuple(_finding(regime, wrong, failed[regime]) for regime, wrong in outputs.items() if wrong)


def describe_worse(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return a sentence for each output within tolerance but too far off, on its worst utterance."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.verdict is Verdict.WORSE and row.reading is InputSource.ISOLATED:
            found.setdefault((row.regime, row.stage, row.output), []).append(row)
    return tuple(_describe_worse(max(group, key=severity)) for group in found.values())


def _describe_worse(row: Row) -> str:
    measures = ("PyTorch’s own float32", row.times_floor), ("the golden run", row.times_golden)
    off = " and ".join(f"{times(value)} that of {name}" for name, value in measures if value is not None)
    return f"{row.regime}: {row.stage}’s {row.output} is within its tolerance, but its error is {off}."


def with_kernels(found: Iterable[Finding], kernels: Iterable[KernelFinding]) -> tuple[Finding, ...]:
    """Add the first wrong kernel of each finding's stage to its words, if known."""
    first: dict[str, KernelFinding] = {}
    for kernel in kernels:
        first.setdefault(kernel.stage, kernel)
    return tuple(
        replace(finding, words=f"{finding.words} Its kernel {first[finding.stage].words}")
        if finding.stage in first and finding.regime.startswith(Regime.COMPILED)
        else finding
        for finding in found
    )


def _is_nearer(metrics: Metrics, noise_floor: Metrics) -> bool:
    if metrics.finite_percent < ALL_FINITE_PERCENT or metrics.relative_l2 is None or noise_floor.relative_l2 is None:
        return False
    return metrics.relative_l2 <= noise_floor.relative_l2


def _finding(regime: str, failures: list[Row], with_probes: list[Row]) -> Finding:
    stage = next(stage for stage in STAGES if any(row.stage == stage.name for row in failures))
    worst = max((row for row in failures if row.stage == stage.name), key=severity)
    what = "that is itself wrong"
    if regime == Regime.STATIC_NO_PACK:
        what = "where packing matters"
    elif all(row.of_teacher for row in failures):
        what = "in which a student is further from its teacher than it should be"
    words = f"{stage.title} is the first stage {what}: fed by the reference, its {worst.output} {_measured(worst)}."
    inner = next((row.output for row in with_probes if row.probe and row.stage == stage.name), "")
    inside = f" Inside it, {inner} is the first value that is wrong." if inner else ""
    return Finding(regime, stage.name, words + inside, inner)


def _measured(row: Row) -> str:
    if row.metrics is None or row.metrics.pearson is None:
        return "isn’t finite or has a different length"
    if row.metrics.sign_flips:
        return f"has -pi for pi in {counted(row.metrics.sign_flips, 'place')}, which the decoder takes for other phases"
    error = magnitude(row.metrics.relative_l2)
    return f"correlates at {correlation(row.metrics.pearson)}, with a relative error of {error}"


def severity(row: Row) -> tuple[int, float, float]:
    """Return a sort key for how bad a row is: its verdict first, then its measurements."""
    verdict = BEST_TO_WORST.index(row.verdict)
    if row.durations is not None:
        return verdict, float(row.durations.differing_tokens), 0.0
    if row.metrics is None:
        return verdict, math.inf, 0.0
    if row.metrics.relative_l2 is None:
        return verdict, math.inf, ALL_FINITE_PERCENT - row.metrics.finite_percent
    return verdict, row.metrics.relative_l2, row.metrics.max_abs or 0.0


def worst(rows: Iterable[Row]) -> Row | None:
    """Return the worst row, the first of several equal ones; None without rows."""
    return max(rows, key=severity, default=None)
