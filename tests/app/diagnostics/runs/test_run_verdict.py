from dataclasses import replace

import pytest

from app.diagnostics.colours import Tone
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_verdict import divergence_of, verdict_of
from engine.stages import STAGES, stage_named
from engine.validator.data.results import FailedEvent, Regime, RowEvent, Verdict
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, events, finished_run, request, row


def test_a_healthy_run_tells_its_worst_stage() -> None:
    verdict = verdict_of(finished_run(), Regime.COMPILED)
    assert verdict.words == "✓ 8 of 8 agree, worst 1 - 1.3e-8"
    assert verdict.tone is Tone.GOOD


def test_a_wrong_stage_is_named_while_others_are_still_compared() -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.take(RowEvent(replace(row(stage_named("decoder"), "phase", Regime.COMPILED), verdict=Verdict.FAIL)))
    assert verdict_of(run, Regime.COMPILED).words == "✗ Decoder differs"
    run.take(RowEvent(replace(row(stage_named("istft"), "audio", Regime.COMPILED), verdict=Verdict.FAIL)))
    verdict = verdict_of(run, Regime.COMPILED)
    assert verdict.words == "✗ Decoder and 1 more differ"
    assert verdict.tone is Tone.ERROR


def test_what_is_no_failure_has_its_own_words_and_tone() -> None:
    run = DiagnosticsRun(request(), CONFIG)
    for stage, output in (("source", "harmonics"), ("decoder", "phase")):
        found = row(stage_named(stage), output, Regime.COMPILED)
        run.take(RowEvent(replace(found, verdict=Verdict.INCOMPARABLE)))
    verdict = verdict_of(run, Regime.COMPILED)
    assert verdict.words == "≠ Harmonic source and 1 more are incomparable"
    assert verdict.tone is Tone.NOTE


def test_the_stages_of_the_utterance_in_progress_are_counted() -> None:
    run = DiagnosticsRun(request(), CONFIG)
    told = [verdict_of(run, Regime.COMPILED).words]
    for event in events(run.request, UTTERANCES[:2])[:-1]:
        run.take(event)
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
        run.take(event)
    if end == "stop":
        run.stop()
    elif end == "crash":
        run.crash("Gone.")
    else:
        run.take(FailedEvent("No.", "Try."))
    verdict = verdict_of(run, Regime.COMPILED)
    assert verdict.words.startswith("Comparing ")
    assert verdict.tone is Tone.WARNING


def fresh(*regimes: Regime) -> DiagnosticsRun:
    return DiagnosticsRun(request(regimes), CONFIG)


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
        run.take(event)
    words = "≫ Compiled: no stage diverges, but further off than it should be: Pitch and energy"
    assert said(run, Regime.COMPILED) == words


def test_the_details_of_a_divergence_are_those_of_the_report() -> None:
    verdict = divergence_of(finished_run((Regime.STATIC_NO_PACK,)), Regime.STATIC_NO_PACK)
    assert verdict is not None
    assert verdict.details == "LSTM packing matters"


def test_nothing_is_claimed_before_the_end() -> None:
    run = fresh(Regime.STATIC_NO_PACK, Regime.COMPILED)
    assert said(run, Regime.COMPILED) == ""
    for event in events(run.request)[:12]:
        run.take(event)
    assert said(run, Regime.COMPILED) == ""
    assert said(run, Regime.STATIC_NO_PACK) == "✗ First divergence, as expected: Text features"


def test_a_divergence_is_alarming_unless_it_is_expected() -> None:
    run = fresh(Regime.UPSTREAM, Regime.COMPILED)
    for regime in run.regimes:
        run.take(RowEvent(replace(row(stage_named("source"), "harmonics", Regime(regime)), verdict=Verdict.FAIL)))
    tones = [verdict.tone for regime in run.regimes if (verdict := divergence_of(run, regime)) is not None]
    assert tones == [Tone.NOTE, Tone.ERROR]
    assert verdict_of(run, Regime.UPSTREAM).words == "✗ Harmonic source differs, as expected"
    assert verdict_of(run, Regime.COMPILED).words == "✗ Harmonic source differs"
