"""What is said about a fault drill: while the fault is looked for, once it is found, and in the names of runs."""

from __future__ import annotations

from app.diagnostics.runs.run import DiagnosticsRun, RunState
from engine.faults.catalogue import fault_named
from engine.validator.runners.drill import verdict_words

MARK = "Drill"
LOOKING = "Drill: there is a fault in a copy of the compiled model. What you hear when you press Speak is not affected."
ENDED = "The drill ended before the fault was found."


def drill_mark(run: DiagnosticsRun) -> str:
    """What marks the run in a list; empty if it is no drill. The fault is named only once the run is over."""
    if not run.request.fault:
        return ""
    revealed = run.report is not None
    return f"{MARK} ({fault_named(run.request.fault).title.lower()})" if revealed else MARK


def drill_words(run: DiagnosticsRun) -> str:
    """How the drill goes, in sentences; empty if the run is none."""
    if not run.request.fault:
        return ""
    planted = run.report.planted if run.report is not None else None
    if planted is not None:
        fault = fault_named(planted.name)
        return f"{MARK}. {verdict_words(run.report_so_far, planted)} {fault.planted} {fault.symptom}"
    return LOOKING if run.active or run.state is RunState.FINISHED else f"{LOOKING} {ENDED}"


def change_words(run: DiagnosticsRun) -> str:
    """The faulty kernel and the first line that was changed in it; empty until the drill is over."""
    planted = run.report.planted if run.report is not None else None
    if planted is None:
        return ""
    before, after = planted.changes[0].excerpts
    count = len(planted.changes)
    first = f", the first of {count} changed lines" if count > 1 else ""
    return f"{planted.kernel} of stage {planted.stage}{first}\n- {before}\n+ {after}"
