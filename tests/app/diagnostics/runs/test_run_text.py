from dataclasses import replace

import pytest

from app.diagnostics.colors import ColorTone
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_text import (
    NO_REQUEST,
    NO_RUN,
    RunHistory,
    describe_request,
    describe_state,
    divergence_of,
    run_name,
    run_title,
    verdict_of,
)
from app.messages import describe_failure
from engine.errors import RecoveryAction
from engine.speech import Plan, PlanEvent, PreparationEvent
from engine.stages import STAGES, stage_named
from engine.validator.data.results import FailedEvent, Regime, RowEvent, Verdict
from engine.validator.faults.catalog import fault_named
from tests.app.diagnostics_fakes import CONFIG, STARTED, UTTERANCES, events, finished_run, request, row


def fresh(*regimes: Regime) -> DiagnosticsRun:
    return DiagnosticsRun(request(regimes or (Regime.COMPILED,)), CONFIG, started=STARTED)


def test_every_state_has_words() -> None:
    run = fresh()
    said = [describe_state(None), describe_state(run)]
    run.handle_event(PreparationEvent("Loading PyTorch", 0, 1))
    said.append(describe_state(run))
    run.handle_event(PlanEvent(Plan(UTTERANCES)))
    run.handle_event(PreparationEvent("Loading PyTorch", 1, 1))
    said.append(describe_state(run))
    for event in events(run.request):
        run.handle_event(event)
        if isinstance(event, RowEvent) and event.row.stage == "decoder" and event.row.utterance == 1:
            break
    said.append(describe_state(run))
    assert said == [
        NO_RUN,
        "Starting the reference…",
        "Loading PyTorch…",
        "Utterance 1 of 3",
        "Utterance 2 of 3 · Decoder · 1 of 3 compared",
    ]
    assert describe_state(finished_run()) == "Done: 3 utterances."


def test_endings_say_why() -> None:
    stopped, failed, crashed = fresh(), fresh(), fresh()
    stopped.stop()
    failed.handle_event(FailedEvent("No voice.", "Choose one."))
    crashed.crash("The reference process has ended.")
    without_tvm = fresh()
    without_tvm.handle_event(FailedEvent("No TVM.", "Run “make setup”.", RecoveryAction.INSTALL_AGAIN))
    assert describe_state(without_tvm) == describe_failure("No TVM.", "", RecoveryAction.INSTALL_AGAIN)
    said = [describe_state(run) for run in (stopped, failed, crashed)]
    assert said == ["Stopped.", "No voice. Choose one.", "The reference process has ended."]
    titles = [run_title(4, run) for run in (stopped, failed, crashed)]
    assert titles[0].startswith("4 · 14:02 · stopped · Compiled: The window")
    assert " · failed · " in titles[1]
    assert " · crashed · " in titles[2]


def test_a_run_is_named_after_its_options_and_text() -> None:
    plain, padded = fresh(Regime.UPSTREAM, Regime.COMPILED), fresh(Regime.UPSTREAM, Regime.COMPILED_PADDED)
    assert run_name(plain).startswith("Compiled: The window")
    assert run_name(padded).startswith("Compiled, padded, padding 100%: The window")
    wanted = replace(request((Regime.COMPILED,)), device="cpu", lstm_method="tir", probes=True)
    assert run_name(DiagnosticsRun(wanted, CONFIG)).startswith("Compiled, cpu, tir, activations: ")
    assert run_title(4, plain, "Before the change") == "4 · 14:02 · Before the change"


def test_a_finished_run_reports_the_device_and_lstm_method_used() -> None:
    run = finished_run()
    choices = {"device_choice": "cpu (Metal needs a Mac)", "lstm_choice": "tir (requested)"}
    run.report = replace(run.report, **choices)
    assert describe_state(run) == "Done: 3 utterances. Device: cpu. LSTMs: tir."
    assert ", cpu, tir: " in run_name(run)


def test_an_injected_fault_is_shown_in_lists_and_by_the_chip() -> None:
    fault = fault_named("zeroed-noise")
    run = DiagnosticsRun(replace(request(), fault=fault.name), CONFIG)
    assert f"Injected fault ({fault.title.lower()})" in run_title(3, run)
    assert verdict_of(run, Regime.COMPILED).words.startswith("Injected fault: ")


def test_the_next_diagnosis_is_described_with_its_extent() -> None:
    assert describe_request(" \n", None) == NO_REQUEST
    assert describe_request("Hello there.", None) == "“Hello there.”: about 1 utterance"
    words = describe_request("It was a dark\n night. " * 100, 0.02)
    assert words.startswith("“It was a dark night. It was")
    assert words.endswith("…”: about 20 utterances, about 40 seconds")


def test_the_stages_of_the_utterance_in_progress_are_counted() -> None:
    run = DiagnosticsRun(request(), CONFIG)
    told = [verdict_of(run, Regime.COMPILED).words]
    for event in events(run.request, UTTERANCES[:2])[:-1]:
        run.handle_event(event)
        words = verdict_of(run, Regime.COMPILED).words
        if words != told[-1]:
            told.append(words)
    once = [f"Comparing {number} of {len(STAGES)}" for number in range(len(STAGES) + 1)]
    first, second = ([f"{words}, utterance {number} of 2" for words in once] for number in (1, 2))
    assert told == [once[0], *first, *second]


@pytest.mark.parametrize("end", ["stop", "fail", "crash"])
def test_an_end_before_the_end_is_no_agreement(end: str) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    for event in events(run.request)[:40]:
        run.handle_event(event)
    if end == "stop":
        run.stop()
    elif end == "crash":
        run.crash("Gone.")
    else:
        run.handle_event(FailedEvent("No.", "Try."))
    verdict = verdict_of(run, Regime.COMPILED)
    assert verdict.words.startswith("Comparison ")
    assert verdict.tone is ColorTone.WARNING


def said(run: DiagnosticsRun | None, regime: Regime) -> str:
    verdict = divergence_of(run, regime)
    return verdict.words if verdict is not None else ""


def test_the_first_divergence_is_named() -> None:
    run = finished_run((Regime.STATIC_NO_PACK, Regime.COMPILED))
    assert said(run, Regime.STATIC_NO_PACK) == "✗ First divergence, as expected: Text features"
    assert said(run, Regime.COMPILED) == "✓ Compiled: no stage diverges"
    assert said(run, Regime.STATIC_PACKED) == ""
    assert said(None, Regime.COMPILED) == ""


def test_a_stage_that_is_worse_than_it_should_be_is_named_too() -> None:
    run = fresh(Regime.COMPILED)
    for event in events(run.request):
        if isinstance(event, RowEvent) and event.row.output == "energy":
            event = RowEvent(replace(event.row, verdict=Verdict.WORSE))
        run.handle_event(event)
    words = "≫ Compiled: no stage diverges, but less accurate than expected: Pitch and energy"
    assert said(run, Regime.COMPILED) == words


def test_nothing_is_claimed_before_the_end() -> None:
    run = fresh(Regime.STATIC_NO_PACK, Regime.COMPILED)
    assert said(run, Regime.COMPILED) == ""
    for event in events(run.request)[:12]:
        run.handle_event(event)
    assert said(run, Regime.COMPILED) == ""
    assert said(run, Regime.STATIC_NO_PACK) == "✗ First divergence, as expected: Text features"


def test_a_divergence_is_alarming_unless_it_is_expected() -> None:
    run = fresh(Regime.UPSTREAM, Regime.COMPILED)
    for regime in run.regimes:
        run.handle_event(
            RowEvent(replace(row(stage_named("source"), "harmonics", Regime(regime)), verdict=Verdict.FAIL))
        )
    tones = [verdict.tone for regime in run.regimes if (verdict := divergence_of(run, regime)) is not None]
    assert tones == [ColorTone.NOTE, ColorTone.ERROR]


def test_runs_are_listed_from_the_newest_and_numbered_on() -> None:
    history, runs = RunHistory(max_length=2), [fresh() for _ in range(3)]
    for run in (*runs[:2], runs[0]):  # a known run stays where it is
        history.add(run)
    assert [each.run for each in history.listed] == [runs[1], runs[0]]
    history.add(runs[2])
    assert [(each.run, each.number) for each in history.listed] == [(runs[2], 3), (runs[1], 2)]
    with pytest.raises(KeyError, match="no longer listed"):
        history.of(runs[0])


def test_a_run_can_be_given_a_name_and_have_it_taken() -> None:
    history, run = RunHistory(), fresh()
    history.add(run)
    before = history.of(run).name
    history.rename(run, "  Before   the change ")
    assert history.of(run).name == "Before the change"
    assert history.of(run).title.endswith(" · Before the change")
    history.rename(run, " ")
    assert history.of(run).name == before
