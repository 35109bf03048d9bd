"""Metrics as short text: correlations near 1, decibels, errors, times, verdicts."""

from __future__ import annotations

from engine.validator.results import AudioMetrics, DurationMetrics, Metrics, Reading, Regime, Row, Verdict
from engine.validator.wording import BY_PHONEME, BY_PHONEME_MARK, NOTHING

MINUS = "−"
EXACT = "exact"

VERDICT_SIGNS = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.INHERITED: "↳",
    Verdict.INCOMPARABLE: "≠",
    Verdict.CRASHED: "!",
}
VERDICT_TITLES = {
    Verdict.PASS: "Pass",
    Verdict.FAIL: "Fail",
    Verdict.INHERITED: "Inherited",
    Verdict.INCOMPARABLE: "Incomparable",
    Verdict.CRASHED: "Crashed",
}
VERDICT_MEANINGS = {
    Verdict.PASS: "Within the stage's tolerance.",
    Verdict.FAIL: "The stage itself is wrong.",
    Verdict.INHERITED: "The stage is right; what reaches it is not.",
    Verdict.INCOMPARABLE: "The two have different durations, so that no value has a partner; "
    "* marks what was measured with the frames of each phoneme paired.",
    Verdict.CRASHED: "The process that computed it ended before it was done.",
}
REGIME_TITLES = {
    Regime.DYNAMIC: "PyTorch",
    Regime.UPSTREAM: "PyTorch, float32",
    Regime.STATIC_PACKED: "Padded, packed",
    Regime.STATIC_NO_PACK: "Padded, not packed",
    Regime.COMPILED: "Compiled",
    Regime.COMPILED_PADDED: "Compiled, padded",
}
READING_MEANINGS = {
    Reading.REFERENCE_FED: "Each stage gets the reference's inputs: its own error alone",
    Reading.OWN_FED: "Each stage gets what the earlier stages of its own regime made: the error adds up",
    Reading.OWN_FED_REFERENCE_DURATIONS: "The same, but in the reference's frames where the durations differ",
}


def regime_title(regime: str) -> str:
    """A regime's name for people; a crossed regime's own name."""
    return REGIME_TITLES[Regime(regime)] if regime in tuple(Regime) else regime


def verdict_words(verdict: Verdict) -> str:
    """A sign and a word, so that a verdict never depends on colour alone."""
    return f"{VERDICT_SIGNS[verdict]} {VERDICT_TITLES[verdict]}"


def correlation_words(metrics: Metrics | None) -> str:
    """A correlation, with enough digits to show how far it is from 1."""
    if metrics is None:
        return NOTHING
    if metrics.finite_percent < 100:
        return f"{metrics.finite_percent:.3g} % finite"
    if metrics.sqnr_db is None:
        return EXACT
    if metrics.pearson is None:
        return NOTHING
    return _near_one(metrics.pearson)


def agreement_words(row: Row, token_count: int = 0) -> str:
    """How a row agrees with the reference: durations that differ, or a correlation, marked if it is by phoneme."""
    if row.durations is not None:
        return duration_words(row.durations, token_count)
    if row.by_phoneme is not None:
        return f"{correlation_words(row.by_phoneme)}{BY_PHONEME_MARK}"
    return correlation_words(row.metrics)


def number_words(number: float | None) -> str:
    """Two or three significant digits, without needless zeros in the exponent."""
    if number is None:
        return NOTHING
    if number == 0 or 0.001 <= abs(number) < 1000:
        return f"{number:.3g}".replace("-", MINUS)
    mantissa, exponent = f"{number:.1e}".split("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}".replace("-", MINUS)


def decibel_words(metrics: Metrics | None) -> str:
    """The signal's level above the difference."""
    if metrics is None or metrics.finite_percent < 100:
        return NOTHING
    return "∞" if metrics.sqnr_db is None else f"{metrics.sqnr_db:.1f} dB".replace("-", MINUS)


def millisecond_words(seconds: float | None) -> str:
    """The time of a stage in milliseconds."""
    if seconds is None:
        return NOTHING
    milliseconds = seconds * 1000
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:.3g}"


def duration_words(durations: DurationMetrics, token_count: int) -> str:
    """How many tokens of two alignments differ in their durations."""
    if not durations.differing_tokens:
        return "equal"
    return (
        f"{durations.differing_tokens} of {token_count} differ"
        if token_count
        else f"{durations.differing_tokens} differ"
    )


def change_words(row: Row, earlier: Row) -> str:
    """How a row compares with the same row of an earlier run: the verdict if it changed, else decibels."""
    if row.verdict is not earlier.verdict:
        return f"was {VERDICT_TITLES[earlier.verdict]}"
    if row.metrics == earlier.metrics and row.durations == earlier.durations:
        return "same"
    if row.metrics is None or earlier.metrics is None:
        return NOTHING
    now, before = row.metrics.sqnr_db, earlier.metrics.sqnr_db
    if now is None or before is None:
        return "now exact" if now is None else "was exact"
    return f"{now - before:+.1f} dB".replace("-", MINUS)


def figures_of(row: Row) -> tuple[tuple[str, str], ...]:
    """Every metric of a row with its name."""
    figures = [("Tolerance", f"{row.tolerance:.7g}")]
    if row.metrics is not None:
        figures += _metric_figures(row.metrics)
    if row.by_phoneme is not None:
        figures += [(f"{name} {BY_PHONEME}", words) for name, words in _metric_figures(row.by_phoneme)]
    if row.durations is not None:
        figures += _duration_figures(row.durations)
    if row.audio is not None:
        figures += _audio_figures(row.audio)
    for name, seconds in (("Time", row.seconds), ("Reference time", row.reference_seconds)):
        figures.append((name, f"{millisecond_words(seconds)} ms"))
    return tuple(figures)


def _metric_figures(metrics: Metrics) -> list[tuple[str, str]]:
    figures = [
        ("Correlation", correlation_words(metrics)),
        ("Cosine", NOTHING if metrics.cosine is None else _near_one(metrics.cosine)),
        ("SQNR", decibel_words(metrics)),
        ("Max error", number_words(metrics.max_abs)),
        ("Relative L2", number_words(metrics.relative_l2)),
        ("Finite", f"{metrics.finite_percent:.4g} %"),
    ]
    if metrics.tail_energy is not None:
        figures.append(("Energy in padding", number_words(metrics.tail_energy)))
    return figures


def _duration_figures(durations: DurationMetrics) -> list[tuple[str, str]]:
    return [
        ("Tokens that differ", f"{durations.differing_tokens}, {durations.ties} by a tie"),
        ("Frames", f"{durations.frames}, reference {durations.reference_frames}"),
    ]


def _audio_figures(audio: AudioMetrics) -> list[tuple[str, str]]:
    return [
        ("Best-lag correlation", f"{_near_one(audio.best_lag_correlation)} at {audio.lag_samples} samples"),
        ("Log-mel L1", number_words(audio.log_mel_l1)),
        ("Multi-resolution STFT", number_words(audio.multi_resolution_stft)),
        ("Level difference", f"{audio.level_difference_db:+.2g} dB".replace("-", MINUS)),
    ]


def _near_one(correlation: float) -> str:
    missing = 1 - correlation
    if missing >= 0.01:
        return f"{correlation:.4f}".replace("-", MINUS)
    if 0 < missing < 1e-6:
        mantissa, exponent = f"{missing:.0e}".split("e")
        return f"1 {MINUS} {mantissa}e{MINUS}{-int(exponent)}"
    return f"{correlation:.7f}"
