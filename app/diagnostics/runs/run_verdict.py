"""A whole run in a few words: how many stages agree and how well, which differ first, or how far it has come."""

from __future__ import annotations

from dataclasses import dataclass

from app.diagnostics.colours import Tone, verdict_tone
from app.diagnostics.metric_words import EXPECTED_RED, VERDICT_SIGNS, correlation_words, regime_title
from app.diagnostics.runs.run import DiagnosticsRun, RunState, Shown
from app.diagnostics.runs.run_words import PLANTED
from engine.stages import STAGE_NAMES, STAGES, stage_named
from engine.validator.data.results import Reading, Row, Verdict
from engine.validator.data.verdicts import severity

_ENDINGS = {
    RunState.STOPPED: "Comparing was stopped",
    RunState.FAILED: "Comparing failed",
    RunState.CRASHED: "Comparing ended unexpectedly",
}


@dataclass(frozen=True)
class RunVerdict:
    """The words begin with a sign where the tone is one of a verdict, so that nothing is told by colour alone."""

    words: str
    tone: Tone
    details: str = ""


def verdict_of(run: DiagnosticsRun, regime: str) -> RunVerdict:
    """How a regime of a run does, every stage by itself; one with a planted fault says so."""
    verdict = _verdict_of(run, regime)
    return RunVerdict(f"{PLANTED}: {verdict.words}", verdict.tone) if run.request.fault else verdict


def divergence_of(run: DiagnosticsRun | None, regime: str) -> RunVerdict | None:
    """The first stage of a regime that is itself wrong, or that there is none; None while that is unknown."""
    finding = run.first_divergence(regime) if run is not None and run.row_count else None
    if run is None or (finding is None and (run.state is not RunState.FINISHED or regime not in run.regimes)):
        return None
    if finding is None:
        return _no_divergence(run, regime)
    expected = regime in EXPECTED_RED
    first = "First divergence, as expected" if expected else "First divergence"
    words = f"{VERDICT_SIGNS[Verdict.FAIL]} {first}: {stage_named(finding.stage).title}"
    return RunVerdict(words, Tone.NOTE if expected else Tone.ERROR, finding.words)


def _no_divergence(run: DiagnosticsRun, regime: str) -> RunVerdict:
    """Names the stages that are within tolerance, yet worse than float32 or the golden run."""
    worse = [stage_named(row.stage).title for row in _rows(run, regime) if row.verdict is Verdict.WORSE]
    words = f"{regime_title(regime)}: no stage diverges"
    if not worse:
        return RunVerdict(f"{VERDICT_SIGNS[Verdict.PASS]} {words}", Tone.GOOD)
    also = f"but further off than it should be: {', '.join(worse)}"
    return RunVerdict(f"{VERDICT_SIGNS[Verdict.WORSE]} {words}, {also}", Tone.WARNING)


def _verdict_of(run: DiagnosticsRun, regime: str) -> RunVerdict:
    rows = _rows(run, regime)
    wrong = [row for row in rows if row.verdict is not Verdict.PASS]
    if wrong:
        verdict = max(wrong, key=severity).verdict
        named = [row.stage for row in wrong if row.verdict is verdict]
        if regime in EXPECTED_RED:
            return RunVerdict(f"{VERDICT_SIGNS[verdict]} {_named(named, verdict)}, as expected", Tone.NOTE)
        return RunVerdict(f"{VERDICT_SIGNS[verdict]} {_named(named, verdict)}", verdict_tone(verdict))
    if run.active:
        return RunVerdict(_progress(run, regime), Tone.PLAIN)
    if run.state is not RunState.FINISHED or not rows:
        return RunVerdict(_ENDINGS.get(run.state, "Nothing was compared"), Tone.WARNING)
    words = f"{VERDICT_SIGNS[Verdict.PASS]} {len(rows)} of {len(STAGES)} agree"
    return RunVerdict(f"{words}, worst {_worst(rows)}", Tone.GOOD)


def _rows(run: DiagnosticsRun, regime: str) -> list[Row]:
    shown = Shown(regime, Reading.REFERENCE_FED)
    found = (run.stage_summary(shown, stage) for stage in STAGE_NAMES)
    return [row for row in found if row is not None and row.verdict is not Verdict.CRASHED]


def _named(stages: list[str], verdict: Verdict) -> str:
    one, several = ("differs", "differ") if verdict is Verdict.FAIL else (f"{verb} {verdict}" for verb in ("is", "are"))
    title = stage_named(stages[0]).title
    return f"{title} {one}" if len(stages) == 1 else f"{title} and {len(stages) - 1} more {several}"


def _progress(run: DiagnosticsRun, regime: str) -> str:
    utterance = run.last_row.utterance if run.last_row is not None else 0
    shown = Shown(regime, Reading.REFERENCE_FED, utterance)
    done = sum(run.stage_summary(shown, stage) is not None for stage in STAGE_NAMES)
    words, count = f"Comparing {done} of {len(STAGES)}", len(run.utterances)
    return f"{words}, utterance {utterance + 1} of {count}" if count > 1 else words


def _worst(rows: list[Row]) -> str:
    measured = [row for row in rows if row.metrics is not None]
    return correlation_words(max(measured, key=severity).metrics if measured else None)
