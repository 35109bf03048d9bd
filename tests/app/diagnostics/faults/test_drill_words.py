from dataclasses import replace

from app.diagnostics.faults.drill_words import LOOKING, change_words, drill_mark, drill_words
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_verdict import verdict_of
from app.diagnostics.runs.run_words import run_title
from engine.faults.catalogue import fault_named
from engine.faults.fault import ChangedLine, PlantedFault
from engine.validator.data.results import FinishedEvent, Regime, RowEvent, Verdict
from tests.app.diagnostics_fakes import CONFIG, events, request

FAULT = fault_named("zeroed-noise")
PLANTED = PlantedFault(FAULT.name, "source", "harmonic_source", (ChangedLine("a = noise", "a = 0"),))


def drill_run(found: str = "source", ended: bool = True, verdict: Verdict = Verdict.FAIL) -> DiagnosticsRun:
    """A drill in which the compiled stage `found`, if any, has this verdict."""
    run = DiagnosticsRun(replace(request(), fault=FAULT.name), CONFIG)
    *others, finished = events(run.request)
    for event in others:
        if isinstance(event, RowEvent) and event.row.stage == found and event.row.regime == Regime.COMPILED:
            event = RowEvent(replace(event.row, verdict=verdict))
        run.take(event)
    if ended:
        assert isinstance(finished, FinishedEvent)
        run.take(FinishedEvent(replace(finished.report, rows=(), planted=PLANTED)))
    return run


def test_an_ordinary_run_has_no_words_of_a_drill() -> None:
    run = DiagnosticsRun(request(), CONFIG)
    assert (drill_mark(run), drill_words(run), change_words(run)) == ("", "", "")


def test_the_fault_is_not_named_before_the_end() -> None:
    run = drill_run(ended=False)
    assert drill_words(run) == LOOKING
    assert drill_mark(run) == "Drill"
    assert change_words(run) == ""
    assert FAULT.title.lower() not in run_title(1, run).lower()


def test_at_the_end_it_is_said_what_was_planted_and_that_it_was_found() -> None:
    words = drill_words(drill_run())
    assert words.startswith("Drill. Found: it is in Harmonic source.")
    assert FAULT.planted in words
    assert FAULT.symptom in words


def test_a_fault_that_another_stage_was_blamed_for_is_missed() -> None:
    assert "Missed: it is in Harmonic source." in drill_words(drill_run(found="decoder"))


def test_a_fault_within_tolerance_was_not_found() -> None:
    assert "Nothing was found" in drill_words(drill_run(found=""))


def test_a_stage_that_is_only_worse_is_found_too() -> None:
    words = drill_words(drill_run(verdict=Verdict.WORSE))
    assert "Found: it is in Harmonic source, which is within its tolerance" in words


def test_the_change_is_shown_before_and_after() -> None:
    assert change_words(drill_run()) == "harmonic_source of stage source\n- a = noise\n+ a = 0"


def test_more_changes_are_counted() -> None:
    run = drill_run()
    assert run.report is not None
    run.report = replace(run.report, planted=replace(PLANTED, changes=PLANTED.changes * 5))
    assert change_words(run).startswith("harmonic_source of stage source, the first of 5 changed lines\n- ")


def test_a_drill_that_was_stopped_says_so() -> None:
    run = drill_run(ended=False)
    run.stop()
    assert drill_words(run).endswith("The drill ended before the fault was found.")


def test_lists_and_the_chip_mark_a_drill() -> None:
    run = drill_run()
    assert f"Drill ({FAULT.title.lower()})" in run_title(3, run)
    assert verdict_of(run, Regime.COMPILED).words.startswith("Drill: ")
