from dataclasses import replace

from engine.stages import STAGES
from engine.validator.data.results import DurationMetrics, Metrics, Reading, Regime, Verdict
from engine.validator.reports.html_report import FIGURE_NAMES, Cell, by_regime, figures, lines, sounds, summary
from tests.engine.validator.reports.example_report import ERRORS, example_report, out_of_step

ROWS = example_report(1).rows


def test_every_output_has_a_cell_for_every_regime_and_reading() -> None:
    found = list(lines(ROWS, tuple(ERRORS)))
    titles = [(stage.title, tensor.name) for stage in STAGES for tensor in stage.outputs if tensor.axes]
    assert [(line.stage, line.output) for line in found] == titles
    assert all(len(line.cells) == 2 * len(ERRORS) and Cell() not in line.cells for line in found)
    durations = found[1].cells[2 * list(ERRORS).index(Regime.STATIC_NO_PACK) :][:2]
    assert [cell.verdict for cell in durations] == [Verdict.FAIL, Verdict.INHERITED]
    assert "SQNR" in durations[0].hint


def test_probes_come_with_their_stage_and_leave_cells_empty() -> None:
    probe = replace(ROWS[-1], stage="duration", output="predictor.lstm", probe=True)
    found = list(lines([*ROWS, probe], tuple(ERRORS)))
    (line,) = [line for line in found if line.is_probe]
    assert [line.stage for line in found].index("Alignment") == found.index(line) + 1
    assert line.cells.count(Cell()) == len(line.cells) - 1


def test_other_durations_give_every_regime_a_third_reading_and_mark_what_is_by_phoneme() -> None:
    rows = out_of_step(example_report(1), Regime.STATIC_NO_PACK).rows
    audio = next(line for line in lines(rows, tuple(ERRORS)) if line.output == "audio")
    assert len(audio.cells) == 3 * len(ERRORS)
    place = 3 * list(ERRORS).index(Regime.STATIC_NO_PACK)
    _, own, given = audio.cells[place : place + 3]
    assert own.value == f"{given.value}*"
    assert own.hint == given.hint
    assert (own.verdict, given.verdict) == (Verdict.INCOMPARABLE, Verdict.INHERITED)
    (row,) = [row for row in rows if row.by_phoneme]
    assert dict(zip(FIGURE_NAMES, figures(row), strict=False))["correlation"] == own.value


def test_a_regime_in_one_line() -> None:
    line = summary(Regime.STATIC_NO_PACK, by_regime(ROWS)[Regime.STATIC_NO_PACK])
    assert "masked" in line.meaning
    assert (line.worst.verdict, line.heard.verdict) == (Verdict.FAIL, Verdict.INHERITED)
    assert line.worst.value.endswith(")")


def test_a_crossed_regime_has_a_meaning_too() -> None:
    name = "compiled with f0n from dynamic"
    assert summary(name, [replace(row, regime=name) for row in ROWS[:2]]).meaning
    assert summary(name, []).worst == Cell()


def test_all_figures_stand_under_their_headings() -> None:
    metrics = Metrics(0.5, 0.25, 12.34, 0.001, 0.002, 100.0, 3e-9)
    row = replace(ROWS[0], metrics=metrics, seconds=0.001, reference_seconds=0.002)
    named = dict(zip(FIGURE_NAMES, (*figures(row), row.verdict), strict=True))
    assert named["correlation"] == "0.5000"
    assert named["cosine"] == "0.2500"
    assert named["finite"] == "100 %"
    assert named["energy in padding"] == "3e-9"
    assert (named["ms"], named["ms, reference"]) == ("1", "2")
    for lost in (replace(row, metrics=None), replace(row, metrics=None, durations=DurationMetrics(2, 0, 9, 9))):
        assert len(figures(lost)) == len(FIGURE_NAMES) - 1


def test_only_the_whole_chain_is_heard() -> None:
    assert [regime for regime, _ in sounds(ROWS)] == list(ERRORS)
    assert not list(sounds([row for row in ROWS if row.reading is Reading.REFERENCE_FED]))
