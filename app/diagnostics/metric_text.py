"""The wording of verdicts, configurations, input sources, changes and metrics; `wording` formats the numbers."""

from __future__ import annotations

from engine.stages import STAGE_NAMES, Stage, StagePlace, stage_named
from engine.validator.data import wording
from engine.validator.data.results import (
    AudioMetrics,
    DurationMetrics,
    InputSource,
    Metrics,
    Regime,
    Row,
    Substitute,
    Verdict,
)
from engine.validator.data.wording import BY_PHONEME, NOTHING

VERDICT_SIGNS = {
    Verdict.PASS: "✓",
    Verdict.WORSE: "≫",
    Verdict.FAIL: "✗",
    Verdict.INHERITED: "↳",
    Verdict.INCOMPARABLE: "≠",
    Verdict.CRASHED: "!",
}
VERDICT_TITLES = {
    Verdict.PASS: "Pass",
    Verdict.WORSE: "Worse",
    Verdict.FAIL: "Fail",
    Verdict.INHERITED: "Inherited",
    Verdict.INCOMPARABLE: "Incomparable",
    Verdict.CRASHED: "Crashed",
}
VERDICT_DESCRIPTIONS = {
    Verdict.PASS: "Within the stage’s tolerance.",
    Verdict.WORSE: "Within tolerance, but more than 10 times as far off as PyTorch’s float32 or the golden run.",
    Verdict.FAIL: "The stage itself is wrong: it fails in isolation.",
    Verdict.INHERITED: "The stage is correct, but its inputs are wrong.",
    Verdict.INCOMPARABLE: "Durations differ, so values can’t be compared one to one. "
    "* marks values aligned by phoneme.",
    Verdict.CRASHED: "The comparison ended early.",
}
REGIME_TITLES = {
    Regime.DYNAMIC: "PyTorch",
    Regime.UPSTREAM: "PyTorch, float32",
    Regime.STATIC_PACKED: "Padded, packed",
    Regime.STATIC_NO_PACK: "Padded, not packed",
    Regime.COMPILED: "Compiled",
    Regime.COMPILED_PADDED: "Compiled, padded",
    Regime.STATIC_DISTILLED: "Padded, Transformer",
    Regime.DISTILLED: "Transformer",
}
_SOURCES = {str(regime): title for regime, title in REGIME_TITLES.items()} | {
    str(Substitute.PYTORCH): "PyTorch",
    str(Substitute.PLAIN_LOOPS): "plain loops",
}
"""The sources of a stage or a kernel."""
EXPECTED_RED: dict[str, str] = {
    Regime.UPSTREAM: "Red is expected here: float32 accumulates rounding in the phase of the harmonic source.",
    Regime.STATIC_NO_PACK: "Red is expected here: LSTMs that run over the padding give different values.",
}
READING_TITLES = {
    InputSource.ISOLATED: "Isolated",
    InputSource.END_TO_END: "End to End",
    InputSource.END_TO_END_REFERENCE_DURATIONS: "End to End, Reference Durations",
}
READING_DESCRIPTIONS = {
    InputSource.ISOLATED: "Each stage gets the reference’s inputs, so only its own error counts",
    InputSource.END_TO_END: "Each stage uses this configuration’s own outputs, so errors accumulate",
    InputSource.END_TO_END_REFERENCE_DURATIONS: "End to end, but with the reference’s durations where these differ",
}


def regime_title(regime: str) -> str:
    """Return a configuration's title; for a mixed one, with the source of each part."""
    rest, *parts = regime.split("+")
    title = _SOURCES.get(rest, rest)
    return f"{title}, with {', '.join(map(_describe_part, parts))}" if parts else title


def _describe_part(part: str) -> str:
    """Describe a stage from a different configuration, or a replaced kernel."""
    what, _, source = part.partition("=")
    title = stage_named(what).title if what in STAGE_NAMES else what
    return f"{title} from {_SOURCES.get(source, source)}"


def describe_verdict(row: Row) -> str:
    """Return the meaning of a row's verdict, and whether it is expected."""
    wrong = row.verdict is not Verdict.PASS
    return " ".join(filter(None, (VERDICT_DESCRIPTIONS[row.verdict], EXPECTED_RED.get(row.regime) if wrong else None)))


def worker_of(stage: Stage, regime: str) -> str:
    """Return the software that computes a stage in a configuration, as the rest of a sentence."""
    if stage.runs_on is StagePlace.HOST:
        return "numpy, as in every configuration"
    rest, *mixed = regime.split("+")
    chosen = dict(part.split("=") for part in mixed if "=" in part).get(stage.name, rest)
    return "the compiled module" if chosen.startswith(Regime.COMPILED) or chosen == Regime.DISTILLED else "PyTorch"


def format_verdict(verdict: Verdict) -> str:
    """Return a sign and a word, so that a verdict never depends on color alone."""
    return f"{VERDICT_SIGNS[verdict]} {VERDICT_TITLES[verdict]}"


def format_change(row: Row, earlier: Row) -> str:
    """Compare a row with the same row of an earlier run: the verdict if it changed, else decibels."""
    if row.verdict is not earlier.verdict:
        return f"was {VERDICT_TITLES[earlier.verdict]}"
    if row.metrics == earlier.metrics and row.durations == earlier.durations:
        return "same"
    if row.metrics is None or earlier.metrics is None:
        return NOTHING
    now, before = row.metrics.sqnr_db, earlier.metrics.sqnr_db
    if now is None or before is None:
        return "now exact" if now is None else "was exact"
    return f"{now - before:+.1f} dB"


def figures_of(row: Row) -> tuple[tuple[str, str], ...]:
    """Return every metric of a row with its name."""
    figures = [("Tolerance", wording.correlation(row.tolerance))]
    if row.metrics is not None:
        figures += _metric_figures(row.metrics)
        figures += [("Over float32", wording.times(row.times_floor))]
        if row.times_golden is not None:
            figures += [("Over the golden run", wording.times(row.times_golden))]
    if row.by_phoneme is not None:
        figures += [(f"{name} {BY_PHONEME}", words) for name, words in _metric_figures(row.by_phoneme)]
    if row.durations is not None:
        figures += _duration_figures(row.durations)
    if row.audio is not None:
        figures += _audio_figures(row.audio)
    for name, seconds in (("Time", row.seconds), ("Reference time", row.reference_seconds)):
        figures.append((name, f"{wording.milliseconds(seconds)} ms"))
    return tuple(figures)


def _metric_figures(metrics: Metrics) -> list[tuple[str, str]]:
    figures = [
        ("Correlation", wording.agreement(metrics)),
        ("Cosine", wording.correlation(metrics.cosine)),
        ("SQNR", wording.noise_ratio(metrics)),
        ("Max error", wording.magnitude(metrics.max_abs)),
        ("Relative L2", wording.magnitude(metrics.relative_l2)),
        ("Finite", wording.percent(metrics.finite_percent)),
    ]
    if metrics.sign_flips is not None:
        figures.append(("Phase sign flips (−π/π)", str(metrics.sign_flips)))
    if metrics.tail_energy is not None:
        figures.append(("Energy in padding", wording.magnitude(metrics.tail_energy)))
    return figures


def _duration_figures(durations: DurationMetrics) -> list[tuple[str, str]]:
    return [
        ("Tokens that differ", f"{durations.differing_tokens}, {durations.ties} by a tie"),
        ("Frames", f"{durations.frames}, reference {durations.reference_frames}"),
    ]


def _audio_figures(audio: AudioMetrics) -> list[tuple[str, str]]:
    return [
        ("Best-lag correlation", wording.best_lag(audio)),
        ("Log-mel L1", wording.magnitude(audio.log_mel_l1)),
        ("Multi-resolution STFT", wording.magnitude(audio.multi_resolution_stft)),
        ("Level difference", wording.level(audio.level_difference_db)),
    ]
