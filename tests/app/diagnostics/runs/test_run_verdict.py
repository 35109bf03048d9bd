from dataclasses import replace

import pytest

from app.diagnostics.colours import Tone
from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_verdict import verdict_of
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
