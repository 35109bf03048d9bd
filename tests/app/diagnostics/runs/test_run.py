from collections.abc import Callable
from dataclasses import replace

import pytest

from app.diagnostics.runs.run import (
    GIVEN,
    MAX_UTTERANCES,
    DiagnosticsRun,
    RunProgress,
    RunState,
    Shown,
    crashed_row,
)
from app.diagnostics.runs.run_text import describe_state
from engine.speech import Plan, PlanEvent, Utterance
from engine.stages import STAGE_NAMES, STAGES, stage_named
from engine.validator.data.results import (
    FailedEvent,
    FinishedEvent,
    InputSource,
    Regime,
    Report,
    RowEvent,
    Verdict,
)
from engine.validator.data.verdicts import worst
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, alignment, events, finished_run, request, row

COMPILED = Shown(Regime.COMPILED)


@pytest.fixture
def run() -> DiagnosticsRun:
    return DiagnosticsRun(request(), CONFIG)


def feed(run: DiagnosticsRun, until_stage: str, utterance: int = 0) -> None:
    """Feed everything up to and including this stage of this utterance."""
    done = False
    for event in events(run.request):
        is_row = isinstance(event, RowEvent)
        reached = is_row and event.row.stage == until_stage and event.row.utterance == utterance
        if done and is_row and not reached:
            return
        run.handle_event(event)
        done = done or reached


def test_it_goes_from_loading_to_finished(run: DiagnosticsRun) -> None:
    said = events(run.request)
    assert run.state is RunState.LOADING
    run.handle_event(said[0])
    assert run.preparation == said[0]
    assert run.active
    run.handle_event(PlanEvent(Plan(UTTERANCES)))
    assert run.state is RunState.RUNNING
    assert run.utterances == UTTERANCES
    for event in said[1:]:
        run.handle_event(event)
    assert run.state is RunState.FINISHED
    assert not run.active
    assert run.preparation is None
    assert run.row_count == sum(isinstance(event, RowEvent) for event in said)


def test_the_worst_output_stands_for_its_stage(run: DiagnosticsRun) -> None:
    stage = stage_named("decoder")
    good = row(stage, "magnitude", Regime.COMPILED, error=1e-6)
    bad = row(stage, "phase", Regime.COMPILED, error=1e-4)
    for each in (bad, good):
        run.handle_event(RowEvent(each))
    assert run.stage_summary(replace(COMPILED, utterance=0), "decoder") == bad


def test_an_activation_does_not_stand_for_its_stage(run: DiagnosticsRun) -> None:
    stage = stage_named("bert")
    run.handle_event(RowEvent(row(stage, "inner", Regime.COMPILED, error=0.5, probe=True)))
    assert run.stage_summary(COMPILED, "bert") is None
    output = row(stage, "text_features", Regime.COMPILED)
    run.handle_event(RowEvent(output))
    assert run.stage_summary(COMPILED, "bert") == output
    assert [each.probe for each in run.rows_of(0, Regime.COMPILED, InputSource.ISOLATED, "bert")] == [False, True]


def test_the_worst_utterance_stands_for_all(run: DiagnosticsRun) -> None:
    stage = stage_named("istft")
    for utterance, error in enumerate((1e-5, 3e-5, 2e-5)):
        run.handle_event(RowEvent(row(stage, "audio", Regime.COMPILED, utterance=utterance, error=error)))
    worst = run.stage_summary(COMPILED, "istft")
    assert worst.utterance == 1
    assert run.utterance_to_show(COMPILED, "istft") == 1
    assert run.utterance_to_show(replace(COMPILED, utterance=2), "istft") == 2


def test_readings_and_regimes_stay_separate() -> None:
    run = finished_run()
    rows = {
        (regime, reading): run.stage_summary(Shown(regime, reading), "f0n")
        for regime in (Regime.UPSTREAM, Regime.COMPILED)
        for reading in (InputSource.ISOLATED, InputSource.END_TO_END)
    }
    assert all((row.regime, row.reading) == key for key, row in rows.items() if row is not None)
    assert None not in rows.values()
    assert run.stage_summary(Shown(Regime.STATIC_PACKED), "f0n") is None


def test_equal_durations_show_the_same_rows_with_the_references_durations() -> None:
    run = finished_run()
    own, given = (
        run.stage_summary(Shown(Regime.COMPILED, reading), "f0n") for reading in (InputSource.END_TO_END, GIVEN)
    )
    assert given is own is not None
    assert len(run.rows) == run.row_count
    assert {row.reading for row in run.rows} == {InputSource.ISOLATED, InputSource.END_TO_END}


def test_a_row_with_the_references_durations_stands_before_the_one_without(run: DiagnosticsRun) -> None:
    stage = stage_named("f0n")
    apart = row(stage, "f0", Regime.COMPILED, InputSource.END_TO_END, error=0.5)
    given = replace(row(stage, "f0", Regime.COMPILED, error=0.1), reading=GIVEN)
    for each in (given, apart):
        run.handle_event(RowEvent(each))
    for utterance in (None, 0):
        assert run.stage_summary(Shown(Regime.COMPILED, GIVEN, utterance), "f0n") is given
        assert run.stage_summary(Shown(Regime.COMPILED, InputSource.END_TO_END, utterance), "f0n") is apart
    assert run.rows_of(0, Regime.COMPILED, GIVEN, "f0n") == (given,)
    assert set(run.rows) == {given, apart}


def test_a_crash_marks_everything_not_yet_reported(run: DiagnosticsRun) -> None:
    feed(run, "f0n")
    run.crash("It was terminated by signal 9.")
    assert run.state is RunState.CRASHED
    first = [run.stage_summary(replace(COMPILED, utterance=0), name) for name in STAGE_NAMES]
    assert [each.verdict for each in first if each] == [Verdict.PASS] * 4 + [Verdict.CRASHED] * 4
    second = [run.stage_summary(replace(COMPILED, utterance=1), name) for name in STAGE_NAMES]
    assert [each.verdict for each in second if each] == [Verdict.CRASHED] * 8


@pytest.mark.parametrize(
    "end", [lambda run: run.crash("Gone."), lambda run: run.handle_event(FailedEvent("No memory.", ""))]
)
def test_an_early_end_keeps_numbers_and_failures_and_marks_the_rest(
    end: Callable[[DiagnosticsRun], None],
) -> None:
    run = DiagnosticsRun(request((Regime.STATIC_NO_PACK, Regime.COMPILED)), CONFIG)
    feed(run, "bert")
    assert run.first_divergence(Regime.STATIC_NO_PACK).stage == "bert"
    assert run.first_divergence(Regime.COMPILED) is None
    end(run)
    assert run.stage_summary(Shown(Regime.STATIC_NO_PACK), "bert").verdict is Verdict.FAIL
    summary = run.stage_summary(COMPILED, "bert")
    assert (summary.verdict, summary.metrics is None) == (Verdict.CRASHED, False)
    rest = [run.stage_summary(COMPILED, name).verdict for name in STAGE_NAMES[1:]]
    assert rest == [Verdict.CRASHED] * len(rest)


def test_an_ended_run_takes_nothing_more(run: DiagnosticsRun) -> None:
    run.stop()
    run.handle_event(PlanEvent(Plan(UTTERANCES)))
    run.crash("Too late.")
    assert run.state is RunState.STOPPED
    assert run.utterances == ()


def test_a_failure_says_why(run: DiagnosticsRun) -> None:
    run.handle_event(FailedEvent("No voice.", "Choose one."))
    assert run.state is RunState.FAILED
    assert (run.message, run.hint) == ("No voice.", "Choose one.")
    assert run.stage_summary(COMPILED, "bert") is None


def test_rows_that_were_missed_come_with_the_report(run: DiagnosticsRun) -> None:
    said = events(run.request)
    run.handle_event(said[-1])
    assert isinstance(said[-1], FinishedEvent)
    assert run.row_count == len(said[-1].report.rows)
    assert run.state is RunState.FINISHED


def test_the_utterance_under_way_is_shown_while_it_runs(run: DiagnosticsRun) -> None:
    feed(run, "bert", utterance=1)
    assert run.utterance_to_show(COMPILED) == 1
    assert run.alignment(0) == alignment(UTTERANCES[0])
    assert run.alignment(1) == ()
    assert run.utterance_at(2) == UTTERANCES[2]
    assert run.utterance_at(7) is None


def test_regimes_are_those_compared(run: DiagnosticsRun) -> None:
    assert run.regimes == (Regime.UPSTREAM, Regime.COMPILED)
    mixed = replace(row(STAGES[0], "text_features", Regime.COMPILED), regime="compiled with bert from dynamic")
    run.handle_event(RowEvent(mixed))
    assert run.regimes[-1] == "compiled with bert from dynamic"


def test_a_long_text_keeps_only_the_latest_and_the_worst_curves() -> None:
    run = DiagnosticsRun(request((Regime.COMPILED,)), CONFIG)
    stage = STAGES[3]
    for utterance in range(MAX_UTTERANCES + 3):
        curved = replace(row(stage, "f0", Regime.COMPILED, error=1.0 if utterance == 1 else 1e-6), utterance=utterance)
        run.handle_event(RowEvent(curved))
    without = [each.utterance for each in run.rows if each.profile is None]
    assert without == [0, 2]
    assert "keep their curves" in describe_state(run)
    assert run.row_count == MAX_UTTERANCES + 3


def test_a_plan_comes_in_pieces(run: DiagnosticsRun) -> None:
    run.handle_event(PlanEvent(Plan(UTTERANCES[:2], (), 40)))
    assert not run.progress.plan.whole
    run.handle_event(PlanEvent(Plan(UTTERANCES[2:])))
    assert run.utterances == UTTERANCES
    assert len(run.progress.plan.utterances) == len(UTTERANCES)
    run.handle_event(PlanEvent(Plan(UTTERANCES)))
    assert run.utterances == UTTERANCES
    run.handle_event(FinishedEvent(Report(run.request, (), (), (), {})))
    assert run.report.utterances == UTTERANCES


def test_rows_are_in_the_order_of_the_text_and_of_their_coming(run: DiagnosticsRun) -> None:
    told = [event for event in events(run.request) if isinstance(event, RowEvent)]
    heard_first = sorted(told, key=lambda event: event.row.utterance != 1)
    for event in heard_first:
        run.handle_event(event)
    assert run.rows == tuple(event.row for event in told)


def test_a_stage_that_was_never_reported_is_worse_than_any_that_was() -> None:
    rows = [crashed_row(1, "compiled", "dynamic", InputSource.END_TO_END, stage.name) for stage in STAGES]
    assert [row.output for row in rows] == [stage.outputs[0].name for stage in STAGES]
    assert {(row.verdict, row.metrics, row.utterance) for row in rows} == {(Verdict.CRASHED, None, 1)}
    assert worst(rows) is rows[0]


SECONDS_PER_UTTERANCE = 2.0


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def utterances(count: int) -> tuple[Utterance, ...]:
    return tuple(Utterance(index, "x" * 10, "a" * 10, index * 10, index * 10 + 10) for index in range(count))


def compared(progress: RunProgress, clock: Clock, order: list[int]) -> None:
    for utterance in order:
        progress.begin_utterance(utterance)
        clock.now += SECONDS_PER_UTTERANCE


def progress_of(plan: Plan) -> tuple[RunProgress, Clock]:
    clock = Clock()
    progress = RunProgress(clock)
    progress.plan = plan
    return progress, clock


def test_progress_is_silent_before_an_utterance_is_done() -> None:
    progress, clock = progress_of(Plan(utterances(4)))
    assert progress.words == ""
    compared(progress, clock, [0])
    assert progress.words == ""


def test_the_remaining_work_follows_from_completed_utterances_in_any_order() -> None:
    progress, clock = progress_of(Plan(utterances(34)))
    compared(progress, clock, [0, 20, 21, 3, 4])
    assert progress.compared == 4
    assert progress.seconds_left == pytest.approx(30 * SECONDS_PER_UTTERANCE - SECONDS_PER_UTTERANCE)
    assert progress.words == "4 of 34 compared, about 1 minute left"


def test_the_rest_of_a_growing_plan_is_counted_by_its_characters() -> None:
    progress, clock = progress_of(Plan(utterances(10), (), 900))
    compared(progress, clock, [0, 1, 2, 3])
    assert progress.seconds_left == pytest.approx(97 * SECONDS_PER_UTTERANCE - SECONDS_PER_UTTERANCE)
    assert progress.words.startswith("3 of 10 or more compared, about 3 minutes left")


def test_rows_of_one_utterance_count_once_and_time_never_runs_below_nothing() -> None:
    progress, clock = progress_of(Plan(utterances(4)))
    compared(progress, clock, [0, 0, 0, 1, 1, 2])
    assert progress.compared == 2
    clock.now += 1000
    assert progress.seconds_left == 0
