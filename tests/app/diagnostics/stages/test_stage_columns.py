from dataclasses import replace

import pytest

from app.diagnostics.colours import Tone
from app.diagnostics.stages.stage_rows import (
    COLUMNS,
    WAITING,
    Column,
    StageEntry,
    explanation_of,
    sort_key,
    tone_of,
    words_of,
)
from engine.stages import STAGES, stage_named
from engine.validator.data.results import DurationMetrics, Regime, Verdict
from engine.validator.data.wording import magnitude
from tests.app.diagnostics_fakes import metrics, row

DECODER = stage_named("decoder")
ROW = replace(row(DECODER, "phase", Regime.COMPILED, error=1e-4), times_floor=0.1)
assert ROW.profile is not None
ENTRY = StageEntry(DECODER, 6, ROW, floor=replace(ROW, metrics=metrics(1e-3)))


def test_every_column_says_something() -> None:
    said = {column: words_of(replace(ENTRY, earlier=ROW), column) for column in Column}
    assert said == {
        Column.STAGE: "Decoder",
        Column.CORRELATION: "1 - 5e-9",
        Column.TIMES_FLOOR: "0.1 ×",
        Column.FLOOR: "1 - 5e-7",
        Column.MAX_ERROR: "4e-4",
        Column.SQNR: "80.0 dB",
        Column.STAGE_MS: "58.8",
        Column.REFERENCE_MS: "152",
        Column.VERDICT: "✓ Pass",
        Column.CHANGE: "same",
        Column.STRIP: f"largest error {magnitude(max(ROW.profile.errors))} of the rms",
    }
    assert set(COLUMNS) == set(Column)


def test_tones_say_what_the_words_say() -> None:
    tones = {verdict: tone_of(replace(ENTRY, row=replace(ROW, verdict=verdict)), Column.VERDICT) for verdict in Verdict}
    assert tones[Verdict.PASS] is Tone.GOOD
    assert tones[Verdict.FAIL] is tones[Verdict.CRASHED] is Tone.ERROR
    assert tone_of(ENTRY, Column.MAX_ERROR) is Tone.PLAIN
    assert tone_of(ENTRY, Column.FLOOR) is tone_of(StageEntry(DECODER, 6), Column.STAGE) is Tone.FAINT


def test_more_than_ten_times_is_amber() -> None:
    worse = replace(ENTRY, row=replace(ROW, times_floor=10.5, verdict=Verdict.WORSE))
    assert tone_of(worse, Column.TIMES_FLOOR) is Tone.WARNING
    assert tone_of(ENTRY, Column.TIMES_FLOOR) is Tone.PLAIN
    assert sort_key(worse, Column.TIMES_FLOOR) > sort_key(ENTRY, Column.TIMES_FLOOR)
    assert tone_of(worse, Column.VERDICT) is Tone.WARNING
    assert words_of(worse, Column.VERDICT) == "≫ Worse"
    assert "10 times" in explanation_of(worse, Column.VERDICT)


@pytest.mark.parametrize(
    ("regime", "worker"),
    [
        (Regime.COMPILED, "the compiled module"),
        (Regime.COMPILED_PADDED, "the compiled module"),
        (Regime.STATIC_PACKED, "PyTorch"),
        ("compiled+decoder=dynamic", "PyTorch"),
        ("compiled+bert=dynamic", "the compiled module"),
    ],
)
def test_no_time_is_called_ours_that_is_pytorchs(regime: str, worker: str) -> None:
    entry = replace(ENTRY, row=replace(ROW, regime=regime))
    assert explanation_of(entry, Column.STAGE_MS) == f"Decoder: milliseconds of {worker}"
    assert explanation_of(entry, Column.REFERENCE_MS) == "Decoder: milliseconds of PyTorch"
    assert "ours" not in COLUMNS[Column.STAGE_MS].title.lower()


def test_a_row_says_why_it_has_no_floor() -> None:
    exact = replace(ENTRY, floor=replace(ROW, metrics=metrics(0)))
    for column in (Column.FLOOR, Column.TIMES_FLOOR):
        assert "No baseline" in explanation_of(exact, column)
        assert "No baseline" not in explanation_of(ENTRY, column)


def test_the_alignment_is_numpys_in_every_regime() -> None:
    alignment = stage_named("alignment")
    entry = StageEntry(alignment, 2, row(alignment, "frame_token", Regime.COMPILED))
    assert explanation_of(entry, Column.STAGE_MS).endswith("numpy, as in every configuration")


def test_what_is_awaited_says_so_and_nothing_else() -> None:
    entry = StageEntry(DECODER, 6, awaited=True)
    assert [words_of(entry, column) for column in Column if words_of(entry, column)] == ["Decoder", WAITING]
    assert words_of(replace(entry, awaited=False), Column.VERDICT) == ""


def test_the_alignment_shows_durations() -> None:
    alignment = stage_named("alignment")
    known = row(alignment, "frame_token", Regime.COMPILED)
    entry = StageEntry(alignment, 2, known, token_count=42)
    assert words_of(entry, Column.CORRELATION) == "equal"
    differing = replace(entry, row=replace(known, durations=DurationMetrics(3, 1, 60, 61)))
    assert words_of(differing, Column.CORRELATION) == "3 of 42 differ"
    assert words_of(differing, Column.MAX_ERROR) == "–"
    assert "durations of tokens" in explanation_of(differing, Column.CORRELATION)


@pytest.mark.parametrize("column", list(Column))
def test_what_is_unknown_is_sorted_first(column: Column) -> None:
    assert column is Column.STAGE or sort_key(StageEntry(DECODER, 6), column) < sort_key(
        replace(ENTRY, earlier=ROW), column
    )


def test_numbers_are_sorted_as_numbers() -> None:
    small, large = replace(ENTRY, row=replace(ROW, seconds=0.009)), replace(ENTRY, row=replace(ROW, seconds=0.1))
    assert words_of(small, Column.STAGE_MS) == "9"
    assert words_of(large, Column.STAGE_MS) == "100"
    assert sort_key(small, Column.STAGE_MS) < sort_key(large, Column.STAGE_MS)
    exact = replace(ENTRY, row=replace(ROW, metrics=metrics(0)))
    assert sort_key(exact, Column.SQNR) > sort_key(ENTRY, Column.SQNR)
    failing = replace(ENTRY, row=replace(ROW, verdict=Verdict.FAIL))
    assert sort_key(failing, Column.VERDICT) > sort_key(ENTRY, Column.VERDICT)


def test_changes_are_sorted_by_decibels() -> None:
    better = replace(ENTRY, earlier=replace(ROW, metrics=metrics(1e-2)))
    worse = replace(ENTRY, earlier=replace(ROW, metrics=metrics(1e-6)))
    assert sort_key(worse, Column.CHANGE) < (0,) < sort_key(better, Column.CHANGE)
    exact = replace(ROW, metrics=metrics(0))
    assert sort_key(replace(ENTRY, row=exact, earlier=exact), Column.CHANGE) == (0,)


def test_cells_explain_themselves() -> None:
    assert "phase" in explanation_of(ENTRY, Column.CORRELATION)
    assert "tolerance" in explanation_of(ENTRY, Column.VERDICT)
    assert explanation_of(replace(ENTRY, earlier=ROW), Column.CHANGE) == "Before: 1 - 5e-9, Pass"
    assert explanation_of(StageEntry(STAGES[0], 0), Column.VERDICT) == ""
