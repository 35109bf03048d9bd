from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.speech import Utterance
from engine.validator.data.circumstances import Build, Circumstances, Subject
from engine.validator.data.results import DurationMetrics, Metrics, Reading, Regime, Row, Verdict
from engine.validator.runs.golden import Golden
from engine.validator.runs.yardstick import MOST_TIMES, Yardstick, unpartnered, worsened

UTTERANCE = Utterance(0, "hello", "həlˈO", 0, 5)
SUBJECT = Subject("starter", "0f", "hello", "am_rowan", 1.0, 0, "dynamic", 1.0, "cpu", "tir", "float32")
NOW = Circumstances(SUBJECT, Build("abc", "0.27", "x86-64-v3"))
FLOOR, ERROR = 1e-6, 2e-6


def row(error: float | None, regime: str = Regime.COMPILED, reading: Reading = Reading.REFERENCE_FED) -> Row:
    metrics = Metrics(1.0, 1.0, 100.0, 1e-5, error, 100.0)
    return Row(0, "f0n", "f0", regime, "dynamic", reading, Verdict.PASS, 0.99999, metrics)


def yardstick(*, golden: float | None = ERROR, floor: float | None = FLOOR) -> Yardstick:
    errors = [row(golden), row(golden, reading=Reading.OWN_FED)] if golden is not None else []
    made = Yardstick(Golden.of(errors, [UTTERANCE], NOW, date(2026, 3, 4)) if errors else None)
    made.begin(UTTERANCE)
    if floor is not None:
        for reading in Reading:
            made.rated(row(floor, Regime.UPSTREAM, reading))
    return made


def test_a_row_is_held_against_floor_and_golden_run() -> None:
    rated = yardstick().rated(row(6e-6))
    assert rated.times_floor == pytest.approx(6)
    assert rated.times_golden == pytest.approx(3)
    assert rated.verdict is Verdict.PASS


@given(st.floats(0, 1))
def test_a_row_is_worse_beyond_ten_times_either(error: float) -> None:
    by_golden, by_floor = yardstick(floor=None).rated(row(error)), yardstick(golden=None).rated(row(error))
    assert (by_golden.verdict is Verdict.WORSE) is (error / ERROR > MOST_TIMES)
    assert (by_floor.verdict is Verdict.WORSE) is (error / FLOOR > MOST_TIMES)
    assert by_golden.times_floor is None
    assert by_floor.times_golden is None


def test_no_other_verdict_is_changed() -> None:
    for verdict in set(Verdict) - {Verdict.PASS, Verdict.WORSE}:
        assert yardstick().rated(replace(row(1.0), verdict=verdict)).verdict is verdict


def test_students_are_no_worse_for_differing_from_their_teacher_by_more_than_rounding() -> None:
    student = row(1.0, Regime.DISTILLED)
    assert yardstick().rated(student).verdict is Verdict.PASS
    assert yardstick().rated(replace(student, reference=Regime.STATIC_DISTILLED)).verdict is Verdict.WORSE


def test_an_error_that_was_fed_in_makes_no_row_worse() -> None:
    healthy, broken = yardstick(), yardstick()
    healthy.rated(row(ERROR))
    assert healthy.rated(row(1e-3, reading=Reading.OWN_FED)).verdict is Verdict.PASS
    broken.rated(row(1e-3))
    assert broken.rated(row(1e-3, reading=Reading.OWN_FED)).verdict is Verdict.WORSE


def test_where_upstream_has_no_error_there_is_no_floor() -> None:
    assert yardstick(floor=0.0).rated(row(ERROR)).times_floor is None
    assert yardstick(floor=None).rated(row(ERROR)).times_floor is None
    assert yardstick().rated(row(FLOOR, Regime.UPSTREAM)).times_floor is None


def test_what_has_no_error_has_no_ratio() -> None:
    for lost in (row(None), replace(row(1.0), metrics=None), replace(row(1.0), metrics=None, durations=EQUAL)):
        rated = yardstick().rated(lost)
        assert (rated.times_floor, rated.times_golden, rated.verdict) == (None, None, Verdict.PASS)


EQUAL = DurationMetrics(0, 0, 9, 9)


def test_other_phonemes_are_held_against_the_floor_alone() -> None:
    made = Yardstick(Golden.of([row(ERROR)], [UTTERANCE], NOW, date(2026, 3, 4)))
    made.begin(replace(UTTERANCE, phonemes="jˈɛloʊ"))
    rated = made.rated(row(1e-3))
    assert rated.times_golden is None
    assert unpartnered([rated]) == (rated,)
    assert "other phonemes" in made.remark
    assert yardstick().remark == Yardstick(None).remark == ""


def test_rows_are_rated_again_when_the_golden_run_changes() -> None:
    made = [row(FLOOR, Regime.UPSTREAM), row(1e-3), row(1e-3, reading=Reading.OWN_FED)]
    first = yardstick()
    rows = [first.rated(each) for each in made]
    assert [each.verdict for each in rows] == [Verdict.PASS, Verdict.WORSE, Verdict.WORSE]
    pinned = Yardstick(Golden.of(rows, [UTTERANCE], NOW, date(2026, 3, 4)))
    pinned.begin(UTTERANCE)
    again = [pinned.rated(replace(each, times_floor=None)) for each in rows[1:]]
    assert [(each.verdict, each.times_golden) for each in again] == [(Verdict.PASS, 1), (Verdict.PASS, 1)]
    without = Yardstick(None)
    unpinned = [without.rated(each) for each in rows[1:]]
    assert [each.times_golden for each in unpinned] == [None, None]
    assert unpinned[0].times_floor == pytest.approx(1000)
    assert unpinned[0].verdict is Verdict.WORSE


def test_only_what_is_worse_than_golden_fails_a_golden_run() -> None:
    by_golden, by_floor = yardstick(floor=None).rated(row(1e-3)), yardstick(golden=None).rated(row(1e-3))
    assert worsened([by_golden, by_floor]) == (by_golden,)
    assert unpartnered([by_golden, by_floor, replace(by_floor, probe=True)]) == (by_floor,)
