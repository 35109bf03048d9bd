import dataclasses

from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_verdict import verdict_of
from app.diagnostics.runs.run_words import (
    NO_RUN,
    NO_SUBJECT,
    run_name,
    run_title,
    state_words,
    subject_words,
)
from engine.errors import Cure
from engine.faults.catalogue import fault_named
from engine.speech import Plan, PlanEvent, PreparationEvent
from engine.validator.data.results import FailedEvent, Regime, RowEvent
from tests.app.diagnostics_fakes import CONFIG, STARTED, UTTERANCES, events, finished_run, request


def fresh(*regimes: Regime) -> DiagnosticsRun:
    return DiagnosticsRun(request(regimes or (Regime.COMPILED,)), CONFIG, started=STARTED)


def test_every_state_has_words() -> None:
    run = fresh()
    said = [state_words(None), state_words(run)]
    run.take(PreparationEvent("Loading PyTorch and the reference model", 0, 1))
    said.append(state_words(run))
    run.take(PlanEvent(Plan(UTTERANCES)))
    run.take(PreparationEvent("Loading PyTorch and the reference model", 1, 1))
    said.append(state_words(run))
    for event in events(run.request):
        run.take(event)
        if isinstance(event, RowEvent) and event.row.stage == "decoder" and event.row.utterance == 1:
            break
    said.append(state_words(run))
    assert said == [
        NO_RUN,
        "Starting the reference…",
        "Loading PyTorch and the reference model…",
        "Utterance 1 of 3",
        "Utterance 2 of 3 · Decoder · 1 of 3 compared",
    ]
    assert state_words(finished_run()) == "Done: 3 utterances."


def test_a_finished_run_tells_what_ran_the_modules() -> None:
    run = finished_run()
    assert run.report is not None
    assert run.report.request.device == "auto"
    choices = {"device_choice": "cpu (Metal needs a Mac)", "lstm_choice": "tir (it was asked for)"}
    run.report = dataclasses.replace(run.report, **choices)
    assert state_words(run) == ("Done: 3 utterances. Device: cpu. LSTMs: tir.")


def test_endings_say_why() -> None:
    stopped, failed, crashed = fresh(), fresh(), fresh()
    stopped.stop()
    failed.take(FailedEvent("There is no such voice.", "Choose another."))
    crashed.crash("The reference process has ended.")
    without_tvm = fresh()
    without_tvm.take(FailedEvent("TVM is not installed.", "Run “make setup”.", Cure.INSTALL_AGAIN))
    assert state_words(without_tvm) == "TVM is not installed. Reinstall the application."
    said = [state_words(run) for run in (stopped, failed, crashed)]
    assert said == ["Stopped.", "There is no such voice. Choose another.", "The reference process has ended."]
    titles = [run_title(4, run) for run in (stopped, failed, crashed)]
    assert titles[0].startswith("4 · 14:02 · stopped · Compiled: The window")
    assert " · failed · " in titles[1]
    assert " · crashed · " in titles[2]


def test_a_run_is_named_by_what_it_was() -> None:
    plain, padded = fresh(Regime.UPSTREAM, Regime.COMPILED), fresh(Regime.UPSTREAM, Regime.COMPILED_PADDED)
    assert run_name(plain).startswith("Compiled: The window")
    assert run_name(padded).startswith("Compiled, padded, padding 100%: The window")
    wanted = dataclasses.replace(request((Regime.COMPILED,)), device="cpu", lstm_method="tir", probes=True)
    assert run_name(DiagnosticsRun(wanted, CONFIG)).startswith("Compiled, cpu, tir, inner values: ")


def test_a_finished_run_is_named_by_what_ran_it() -> None:
    run = finished_run()
    assert run.report is not None
    choices = {"device_choice": "cpu (Metal needs a Mac)", "lstm_choice": "tir (it was asked for)"}
    run.report = dataclasses.replace(run.report, **choices)
    assert ", cpu, tir: " in run_name(run)


def test_a_given_name_shows_in_the_title() -> None:
    assert run_title(4, fresh(), "Before the change") == "4 · 14:02 · Before the change"


def test_a_planted_fault_is_told_in_lists_and_by_the_chip() -> None:
    fault = fault_named("zeroed-noise")
    run = DiagnosticsRun(dataclasses.replace(request(), fault=fault.name), CONFIG)
    assert f"Planted fault ({fault.title.lower()})" in run_title(3, run)
    assert verdict_of(run, Regime.COMPILED).words.startswith("Planted fault: ")


def test_what_would_be_diagnosed_is_told_with_its_extent() -> None:
    assert subject_words(" \n", None) == NO_SUBJECT
    assert subject_words("Hello there.", None) == "“Hello there.”: about 1 utterance"
    words = subject_words("It was a dark\n night. " * 100, 0.02)
    assert words == "“It was a dark night.…”: about 20 utterances, about 40 seconds"
