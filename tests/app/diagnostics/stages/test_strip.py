import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.strip import NO_ROWS, Strip
from engine.speech import Plan, PlanEvent
from engine.validator.data.results import Regime
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, MemoryArrays, alignment, events, finished_run, request

SHOWN = Shown(Regime.COMPILED, utterance=1)
LENGTH = sum(alignment(UTTERANCES[1])) / CONFIG.frames_per_second


@pytest.fixture
def strip(qtbot: QtBot) -> Strip:
    return Strip()


def test_what_is_there_is_said(strip: Strip) -> None:
    strip.show_run(finished_run(), SHOWN, "f0n")
    said = strip.words_at("f0n", 0.3)
    assert said.startswith("Pitch and energy, 0.30 s “")
    assert "error" in said
    assert strip.words_at(None, 0.2).startswith("0.20 s “Everything”")
    strip.show_run(None, SHOWN, None)
    assert strip.words_at("f0n", 0.3) == ""


def test_rows_fill_while_it_runs(strip: Strip) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.take(PlanEvent(Plan(UTTERANCES)))
    strip.show_run(run, Shown(Regime.COMPILED), None)
    assert strip.rows == NO_ROWS
    for event in events(run.request, probes=False)[3:15]:
        run.take(event)
    strip.show_run(run, Shown(Regime.COMPILED), None)
    kept = strip.rows
    assert [row is not None for row in kept[:2]] == [True, True]
    assert kept[-1] is None
    strip.show_run(run, Shown(Regime.COMPILED), "bert")
    assert strip.rows == kept


def test_a_crash_is_seen(strip: Strip) -> None:
    run = DiagnosticsRun(request(), CONFIG)
    run.crash("Gone.")
    strip.show_run(run, Shown(Regime.COMPILED), None)
    assert {row.words for row in strip.rows if row} == {"crashed"}


def test_the_waveform_is_read_once(strip: Strip) -> None:
    run = finished_run()
    arrays = run.arrays
    assert isinstance(arrays, MemoryArrays)
    for stage in (None, "f0n", "decoder"):
        strip.show_run(run, SHOWN, stage)
    assert arrays.loaded == 1
    strip.show_run(run, Shown(Regime.COMPILED, utterance=0), None)
    assert arrays.loaded == 2


def test_cells_reach_as_far_as_the_audio(strip: Strip) -> None:
    strip.show_run(finished_run(), SHOWN, None)
    assert strip.scale.in_view == pytest.approx((0, LENGTH))
    for row in strip.rows:
        assert row is not None
        assert row.edges[-1] == pytest.approx(LENGTH)


def test_lines_stay_within_the_utterance_and_tell_where_they_were(strip: Strip, qtbot: QtBot) -> None:
    strip.show_run(finished_run(), SHOWN, None)
    strip.show_moment(0.2)
    with qtbot.waitSignal(strip.line_moved) as moved:
        strip.show_moment(99)
    assert moved.args == [0.2, pytest.approx(LENGTH)]
    with qtbot.waitSignal(strip.line_moved) as moved:
        strip.show_playhead(-1)
    assert moved.args == [None, 0]
    strip.show_playhead(None)
    assert strip.playhead is None
    strip.show_run(finished_run(), Shown(Regime.COMPILED, utterance=0), None)
    assert strip.cursor is None  # it was a time of another utterance
