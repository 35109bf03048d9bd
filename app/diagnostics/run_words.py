"""The state of a run as one line of text, and its first divergence as another."""

from __future__ import annotations

from app.diagnostics.drill_words import drill_mark
from app.diagnostics.metric_words import regime_title
from app.diagnostics.run import DiagnosticsRun, RunState
from app.messages import words_for
from engine.stages import stage_named

NO_RUN = "Press Diagnose to compare the compiled model with PyTorch, stage by stage."
TEXT_CHARACTERS = 32
_ENDINGS = {RunState.STOPPED: "stopped", RunState.FAILED: "failed", RunState.CRASHED: "crashed"}


def state_words(run: DiagnosticsRun | None) -> str:
    """What a run is doing, or how it ended."""
    if run is None:
        return NO_RUN
    match run.state:
        case RunState.LOADING | RunState.RUNNING if run.preparation is not None:
            return f"{run.preparation.title}…"
        case RunState.LOADING:
            return "Starting the reference…"
        case RunState.RUNNING:
            return _progress_words(run)
        case RunState.FINISHED:
            return _end_words(run)
        case RunState.STOPPED:
            return run.message
        case _:
            return words_for(run.message, run.hint, run.cure)


def divergence_words(run: DiagnosticsRun | None, regime: str) -> str:
    """The first stage that is itself wrong; empty while that is unknown."""
    if run is None or not run.row_count:
        return ""
    finding = run.first_divergence(regime)
    if finding is None:
        if run.state is not RunState.FINISHED or regime not in run.regimes:
            return ""
        return f"{regime_title(regime)}: no stage diverges by itself"
    title = stage_named(finding.stage).title
    if not finding.words:
        return f"First divergence: {title}"
    return f"First divergence: {finding.words if finding.words.startswith(title) else f'{title} ({finding.words})'}"


def _end_words(run: DiagnosticsRun) -> str:
    count = len(run.utterances)
    done = f"Done: {count} {'utterance' if count == 1 else 'utterances'}."
    if run.report is None or not run.report.device_choice:
        return done
    return f"{done} Device: {run.report.device_choice}. LSTM method: {run.report.lstm_choice}."


def _progress_words(run: DiagnosticsRun) -> str:
    row = run.last_row
    if row is None:
        return "Planning…" if not run.utterances else f"Utterance 1 of {len(run.utterances)}"
    title = stage_named(row.stage).title
    return f"Utterance {row.utterance + 1} of {max(len(run.utterances), row.utterance + 1)} · {title}"


def run_title(number: int, run: DiagnosticsRun) -> str:
    """The title of a run in a list."""
    words = " ".join(run.request.speech.text.split())
    words = words if len(words) <= TEXT_CHARACTERS else f"{words[:TEXT_CHARACTERS]}…"
    ending = f" · {_ENDINGS[run.state]}" if run.state in _ENDINGS else ""
    mark = drill_mark(run)
    return f"{number} · {run.started:%H:%M}{ending} · {f'{mark} · ' if mark else ''}{words}"
