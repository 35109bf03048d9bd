from dataclasses import replace

from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.strip import audio_envelope, content_of, errors_of, words_instead
from engine.speech import Plan, PlanEvent
from engine.stages import STAGES
from engine.validator.data.results import Regime, Verdict
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, MemoryArrays, alignment, finished_run, request, row

COMPILED = Shown(Regime.COMPILED)


def test_the_rows_are_those_of_one_utterance() -> None:
    content = content_of(finished_run(), replace(COMPILED, utterance=2), None)
    assert content.index == 2
    assert content.utterance == UTTERANCES[2]
    assert [each.stage for each in content.rows if each] == [stage.name for stage in STAGES]
    assert {each.utterance for each in content.rows if each} == {2}
    assert content.clock.frames_per_token == alignment(UTTERANCES[2])


def test_before_anything_is_known_there_are_no_rows() -> None:
    run = DiagnosticsRun(request(), CONFIG)
    content = content_of(run, COMPILED, None)
    assert content.rows == (None,) * len(STAGES)
    run.take(PlanEvent(Plan(UTTERANCES)))
    assert content_of(run, COMPILED, None).utterance == UTTERANCES[0]


def test_the_compiled_waveform_comes_first() -> None:
    run = finished_run()
    arrays = run.arrays
    assert isinstance(arrays, MemoryArrays)
    found = audio_envelope(run, 0, Regime.UPSTREAM)
    assert found is not None
    assert found.edges[-1] == 600 * sum(alignment(UTTERANCES[0]))
    for key in [key for key in arrays.arrays if key[1] == Regime.COMPILED]:
        del arrays.arrays[key]
    assert audio_envelope(run, 0, Regime.UPSTREAM) is not None
    arrays.arrays.clear()
    assert audio_envelope(run, 0, Regime.UPSTREAM) is None
    run.arrays = None
    assert audio_envelope(run, 0, Regime.UPSTREAM) is None


def test_what_has_no_cells_says_why() -> None:
    known = row(STAGES[0], "text_features", Regime.COMPILED)
    assert words_instead(known) == ""
    assert len(errors_of(known.profile)) == len(UTTERANCES[0].phonemes) + 2
    assert len(errors_of(None)) == 0
    said = {
        verdict: words_instead(replace(known, profile=None, verdict=verdict))
        for verdict in (Verdict.CRASHED, Verdict.INCOMPARABLE, Verdict.FAIL)
    }
    assert len(set(said.values())) == 3
    assert all(said.values())
