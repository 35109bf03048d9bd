"""The wording for runs: state, name, verdict, and the text to diagnose."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.diagnostics.colors import ColorTone
from app.diagnostics.metric_text import EXPECTED_RED, VERDICT_SIGNS, regime_title
from app.diagnostics.runs.run import MAX_UTTERANCES, DiagnosticsRun, RunState, Shown
from app.messages import describe_failure
from engine.runtime.preparation.devices import AUTO
from engine.stages import STAGE_NAMES, STAGES, stage_named
from engine.system.durations import format_approximate_duration
from engine.validator.data.results import InputSource, Regime, Verdict
from engine.validator.data.wording import counted
from engine.validator.faults.catalog import fault_named
from engine.validator.runners.regimes import PADDED_REGIMES

NO_RUN = "Click Diagnose to compare the compiled model with PyTorch, stage by stage."
PLANTED = "Injected fault"
"""Marks a run with an injected fault, created on the command line to test its detection."""
NO_REQUEST = "Type or paste some text to diagnose it."
TEXT_CHARACTERS = 24
REQUEST_CHARACTERS = 32
MAX_NAMED = 2
"""Of more configurations than this, only the number is shown."""
CHARACTERS_PER_UTTERANCE = 115
"""The average for English prose, which has about as many phonemes as characters."""
FIRST_UTTERANCES = 1
"""The first utterances are short, so that speech begins soon; together they count as one more."""
READ_FACTOR = 8
"""Limits how much of a long text is read to shorten it; the beginning may contain white space."""
_ENDINGS = {RunState.STOPPED: "stopped", RunState.FAILED: "failed", RunState.CRASHED: "crashed"}
_ENDING_VERDICTS = {
    RunState.STOPPED: "Comparison stopped",
    RunState.FAILED: "Comparison failed",
    RunState.CRASHED: "Comparison ended unexpectedly",
}


def describe_state(run: DiagnosticsRun | None) -> str:
    """Describe the current step of a run, or how it ended."""
    if run is None:
        return NO_RUN
    if run.is_stuck:
        return f"The reference process hasn’t responded for {run.stalled_seconds} s while {under_way(run)}."
    match run.state:
        case RunState.LOADING | RunState.RUNNING if run.preparation is not None:
            return f"{run.preparation.title}…"
        case RunState.LOADING:
            return "Starting the reference…"
        case RunState.RUNNING:
            return _format_progress(run)
        case RunState.FINISHED:
            return _describe_end(run)
        case RunState.STOPPED:
            return run.message
        case _:
            return describe_failure(run.message, run.hint, run.recovery_action)


def describe_request(text: str, seconds_per_phoneme: float | None) -> str:
    """Describe the text to diagnose, the approximate number of utterances, and the duration if known."""
    if not text.strip():
        return NO_REQUEST
    utterances = round(FIRST_UTTERANCES + len(text) / CHARACTERS_PER_UTTERANCE)
    extent = f"about {counted(utterances, 'utterance')}"
    took = (
        f", {format_approximate_duration(seconds_per_phoneme * len(text))}" if seconds_per_phoneme is not None else ""
    )
    return f"“{shortened(text, REQUEST_CHARACTERS)}”: {extent}{took}"


def _describe_end(run: DiagnosticsRun) -> str:
    count = len(run.utterances)
    done = f"Done: {count} {'utterance' if count == 1 else 'utterances'}."
    if run.report is None or not run.report.device_choice:
        return done
    device, lstms = (choice.partition(" (")[0] for choice in (run.report.device_choice, run.report.lstm_choice))
    return f"{done} Device: {device}. LSTMs: {lstms}."


def _format_progress(run: DiagnosticsRun) -> str:
    row = run.last_row
    if row is None:
        return "Planning…" if not run.utterances else f"Utterance 1 of {len(run.utterances)}"
    title = stage_named(row.stage).title
    where = f"Utterance {row.utterance + 1} of {max(len(run.utterances), row.utterance + 1)} · {title}"
    return " · ".join(filter(None, [where, run.progress.words, describe_discarded(run)]))


def describe_discarded(run: DiagnosticsRun) -> str:
    """Describe which data of a long text has been discarded; empty if none."""
    if run.progress.compared <= MAX_UTTERANCES:
        return ""
    return f"only the last {MAX_UTTERANCES} utterances keep their curves and arrays"


def run_name(run: DiagnosticsRun) -> str:
    """Describe a run: its configurations, padding, device and LSTM method, and the text."""
    parts = [_selection(run), *_padding(run), *_machine(run), *(["activations"] if run.request.probes else [])]
    fault = run.request.fault
    mark = f"{PLANTED} ({fault_named(fault).title.lower()}) · " if fault else ""
    return f"{mark}{', '.join(parts)}: {shortened(run.request.speech.text, TEXT_CHARACTERS)}"


def run_title(number: int, run: DiagnosticsRun, name: str = "") -> str:
    """Return the title of a run in a list; `name` is the one that the user gave it."""
    ending = f" · {_ENDINGS[run.state]}" if run.state in _ENDINGS else ""
    return f"{number} · {run.started:%H:%M}{ending} · {name or run_name(run)}"


def under_way(run: DiagnosticsRun) -> str:
    """Describe the current step of a run, as the end of the sentence “… while …”."""
    row = run.last_row
    if row is None:
        return "starting up"
    stage = row.stage
    if all(_is_compared(run, row.utterance, regime, stage) for regime in run.regimes):
        stage = STAGE_NAMES[(STAGE_NAMES.index(stage) + 1) % len(STAGE_NAMES)]
    return f"computing the {stage_named(stage).title.lower()}"


def _is_compared(run: DiagnosticsRun, utterance: int, regime: str, stage: str) -> bool:
    """Return whether the last row of every output of a stage has arrived."""
    there = {row.output for row in run.rows_of(utterance, regime, InputSource.END_TO_END, stage)}
    return there >= {tensor.name for tensor in stage_named(stage).outputs if tensor.axes}


def _selection(run: DiagnosticsRun) -> str:
    """Name the configurations of a run; PyTorch's own float32 is always measured as well."""
    looked_at = [regime for regime in run.regimes if regime != Regime.UPSTREAM] or list(run.regimes)
    if len(looked_at) > MAX_NAMED:
        return counted(len(looked_at), "configuration")
    return " + ".join(regime_title(regime) for regime in looked_at)


def _padding(run: DiagnosticsRun) -> list[str]:
    padded = any(regime in PADDED_REGIMES for regime in run.regimes)
    return [f"padding {run.request.padding:.0%}"] if padded else []


def _machine(run: DiagnosticsRun) -> list[str]:
    """Return the device and LSTM method that were used, or else the requested ones."""
    report, request = run.report, run.request
    used = (report.device_choice, report.lstm_choice) if report is not None else ("", "")
    asked = (request.device, request.lstm_method)
    names = [(words.split(maxsplit=1) or [name])[0] for words, name in zip(used, asked, strict=True)]
    return [name for name in names if name != AUTO]


def shortened(text: str, characters: int) -> str:
    """Return a text on one line, cut off after this many characters."""
    words = " ".join(text[: READ_FACTOR * characters].split())
    return words if len(words) <= characters else f"{words[:characters]}…"


@dataclass(frozen=True)
class RunVerdict:
    """A verdict in words, which begin with a sign if the tone is that of a verdict: color is never essential."""

    words: str
    tone: ColorTone
    details: str = ""


def verdict_of(run: DiagnosticsRun, regime: str) -> RunVerdict:
    """Return where a configuration diverges, or the progress of the comparison; an injected fault is mentioned."""
    verdict = divergence_of(run, regime) or _unknown(run, regime)
    return replace(verdict, words=f"{PLANTED}: {verdict.words}") if run.request.fault else verdict


def divergence_of(run: DiagnosticsRun | None, regime: str) -> RunVerdict | None:
    """Return the first stage of a configuration that is itself wrong, or that there is none; None while unknown."""
    finding = run.first_divergence(regime) if run is not None and run.row_count else None
    if run is None or (finding is None and (run.state is not RunState.FINISHED or regime not in run.regimes)):
        return None
    if finding is None:
        return _no_divergence(run, regime)
    expected = regime in EXPECTED_RED
    first = "First divergence, as expected" if expected else "First divergence"
    words = f"{VERDICT_SIGNS[Verdict.FAIL]} {first}: {stage_named(finding.stage).title}"
    return RunVerdict(words, ColorTone.NOTE if expected else ColorTone.ERROR, finding.words)


def _no_divergence(run: DiagnosticsRun, regime: str) -> RunVerdict:
    """Name the stages that are within tolerance, yet worse than float32 or the golden run."""
    rows = (run.stage_summary(Shown(regime, InputSource.ISOLATED), stage) for stage in STAGE_NAMES)
    worse = [stage_named(row.stage).title for row in rows if row is not None and row.verdict is Verdict.WORSE]
    words = f"{regime_title(regime)}: no stage diverges"
    if not worse:
        return RunVerdict(f"{VERDICT_SIGNS[Verdict.PASS]} {words}", ColorTone.GOOD)
    also = f"but less accurate than expected: {', '.join(worse)}"
    return RunVerdict(f"{VERDICT_SIGNS[Verdict.WORSE]} {words}, {also}", ColorTone.WARNING)


def _unknown(run: DiagnosticsRun, regime: str) -> RunVerdict:
    """Describe the progress of the comparison, or how it ended."""
    if not run.active:
        return RunVerdict(_ENDING_VERDICTS.get(run.state, "Nothing was compared"), ColorTone.WARNING)
    utterance = run.last_row.utterance if run.last_row is not None else 0
    shown = Shown(regime, InputSource.ISOLATED, utterance)
    done = sum(run.stage_summary(shown, stage) is not None for stage in STAGE_NAMES)
    words, count = f"Comparing {done} of {len(STAGES)}", len(run.utterances)
    return RunVerdict(f"{words}, utterance {utterance + 1} of {count}" if count > 1 else words, ColorTone.PLAIN)


MAX_RUNS = 20


@dataclass(frozen=True)
class ListedRun:
    """A run in the history: its number, and the name that the user gave it, if any."""

    run: DiagnosticsRun
    number: int
    given_name: str = ""

    @property
    def name(self) -> str:
        """The name given by the user, or else the description of the run."""
        return self.given_name or run_name(self.run)

    @property
    def title(self) -> str:
        """The title of the run in a list."""
        return run_title(self.number, self.run, self.given_name)


class RunHistory:
    """The list of runs, numbered from 1; it drops the oldest when there are too many."""

    def __init__(self, max_length: int = MAX_RUNS) -> None:
        self._max_length = max_length
        self._last_number = 0
        self._listed: list[ListedRun] = []

    @property
    def listed(self) -> tuple[ListedRun, ...]:
        """All runs with their names, newest first."""
        return tuple(self._listed)

    def add(self, run: DiagnosticsRun, name: str = "") -> None:
        """Add a run as the newest; one that is already listed keeps its position."""
        if any(each.run is run for each in self._listed):
            return
        self._last_number += 1
        self._listed = [ListedRun(run, self._last_number, name), *self._listed][: self._max_length]

    def of(self, run: DiagnosticsRun) -> ListedRun:
        """Return the entry of a run; raises `KeyError` if it is not listed."""
        for listed in self._listed:
            if listed.run is run:
                return listed
        raise KeyError("This run is no longer listed.")

    def rename(self, run: DiagnosticsRun, name: str) -> None:
        """Name a run; an empty name restores the default one."""
        renamed = replace(self.of(run), given_name=" ".join(name.split()))
        self._listed = [renamed if each.run is run else each for each in self._listed]
