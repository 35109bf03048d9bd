from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compiler.artifacts.manifest import Manifest
from engine.errors import DamagedFile, InvalidRequest, OutputError
from engine.models.checkpoints import STARTER, open_checkpoint
from engine.speech import Utterance
from engine.system.paths import sample_text_path, shipped_modules_folder
from engine.validator.data.results import DurationMetrics, InputSource, Metrics, Regime, Row, ValidationRequest, Verdict
from engine.validator.data.run_context import Build, RunContext, RunKey
from engine.validator.runs.baseline_grader import MAX_TIMES, BaselineGrader, unpartnered, worsened
from engine.validator.runs.golden import MIN_ERROR, Golden, chosen
from engine.validator.runs.validation import phonemizer
from tests.engine.validator.reports.example_report import example_report

SUBJECT = RunKey(STARTER, "0f", "Say it.", "am_rowan", 1.0, 0, "dynamic", 1.0, "cpu", "tir", "float32")
NOW = RunContext(SUBJECT, Build("abc", "0.27", "x86-64-v3"))
REPORT = example_report()
GOLDEN = Golden.of(REPORT.rows, REPORT.utterances, NOW, date(2026, 3, 4))
COMPILED = [row for row in REPORT.rows if row.regime == Regime.COMPILED]


def with_error(row: Row, relative_l2: float | None) -> Row:
    assert row.metrics is not None
    return replace(row, metrics=replace(row.metrics, relative_l2=relative_l2))


def asked(golden: str | None = None) -> ValidationRequest:
    return replace(REPORT.request, golden=golden)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "shipped"
    made.mkdir()
    return made


def test_a_golden_run_stores_only_and_all_compiled_errors() -> None:
    assert {error.regime for error in GOLDEN.errors} == {Regime.COMPILED}
    assert len(GOLDEN.errors) == sum(row.metrics is not None for row in COMPILED)
    assert {error.reading for error in GOLDEN.errors} == {InputSource.END_TO_END, InputSource.ISOLATED}


def test_a_row_is_so_many_times_its_golden_error() -> None:
    row = next(row for row in COMPILED if row.metrics is not None)
    assert row.metrics.relative_l2 is not None
    assert GOLDEN.times(row) == pytest.approx(1)
    assert GOLDEN.times(with_error(row, 25 * row.metrics.relative_l2)) == pytest.approx(25)
    assert GOLDEN.times(with_error(row, None)) is None
    assert GOLDEN.times(replace(row, metrics=None)) is None
    assert GOLDEN.times(replace(row, utterance=7)) is None
    assert GOLDEN.times(replace(row, regime="upstream")) is None


def test_no_error_is_asked_for_that_float32_cannot_have() -> None:
    row = with_error(next(row for row in COMPILED if row.metrics is not None), 0.0)
    golden = Golden.of([row], REPORT.utterances, NOW, date(2026, 3, 4))
    assert golden.times(row) == 0
    assert golden.times(with_error(row, 3 * MIN_ERROR)) == pytest.approx(3)


def test_a_saved_run_is_the_same_run(tmp_path: Path) -> None:
    GOLDEN.save(tmp_path / "golden.json")
    assert Golden.load(tmp_path / "golden.json") == GOLDEN


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"circumstances": 3}', "\ufffd", "null", pytest.param("[" * 100_000, id="deep")]
)
def test_an_invalid_golden_run_is_reported(tmp_path: Path, content: str) -> None:
    path = tmp_path / "golden.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DamagedFile, match="be read") as caught:
        Golden.load(path)
    assert "--save-golden" in caught.value.hint


def test_a_missing_file_or_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="The golden run"):
        Golden.load(tmp_path / "golden.json")
    with pytest.raises(OutputError):
        GOLDEN.save(tmp_path / "nowhere" / "golden.json")


def test_the_run_that_comes_with_the_program_is_taken_and_told(folder: Path) -> None:
    golden, words = chosen(asked(), NOW, folder)
    assert golden is None
    assert "no golden run" in words
    GOLDEN.save(folder / "starter.json")
    golden, words = chosen(asked(), NOW, folder)
    assert golden == GOLDEN
    assert words == "The golden run is of the same build, made on 2026-03-04."
    assert chosen(asked(), replace(NOW, subject=replace(SUBJECT, text="No.")), folder)[0] is None
    assert chosen(asked(), replace(NOW, subject=replace(SUBJECT, edits="0f")), folder)[0] is None
    assert chosen(asked(), None, folder) == (None, "")


def test_a_damaged_stored_run_is_reported_and_stops_nothing(folder: Path) -> None:
    (folder / "starter.json").write_text("{", encoding="utf-8")
    golden, words = chosen(asked(), NOW, folder)
    assert golden is None
    assert "can’t be read" in words


def test_a_run_that_is_named_must_be_of_the_same(tmp_path: Path) -> None:
    path = tmp_path / "golden.json"
    GOLDEN.save(path)
    golden, _ = chosen(asked(str(path)), NOW)
    assert golden == GOLDEN
    with pytest.raises(InvalidRequest, match="is of a different voice"):
        chosen(asked(str(path)), replace(NOW, subject=replace(SUBJECT, voice="af_heart")))
    with pytest.raises(InvalidRequest, match="compiled regimes"):
        chosen(asked(str(path)), None)


def shipped() -> list[Golden]:
    golden = [Golden.load(path) for path in sorted((sample_text_path().parent / "golden").glob("*.json"))]
    assert golden, "There is none; run “make golden”."
    return golden


def test_shipped_golden_runs_match_their_modules_model_and_text() -> None:
    checkpoint = open_checkpoint()
    (folder,) = shipped_modules_folder().glob(f"{checkpoint.config.fingerprint()}-cpu-x86_64-linux-gnu")
    build, text = Build.of(Manifest.load(folder).identity), sample_text_path().read_text(encoding="utf-8").strip()
    for golden in shipped():
        subject = golden.circumstances.subject
        voice = checkpoint.voices[subject.voice]
        now = phonemizer(checkpoint, voice).plan(text).utterances
        assert (subject.model, subject.weights, subject.text) == (STARTER, checkpoint.identity, text), "make golden"
        assert all(golden.has(utterance) for utterance in now), "make golden"
        assert len(golden.phonemes) == len(now)
        assert golden.circumstances.build.compiler_source_hash == build.compiler_source_hash, "make golden"
        assert golden.circumstances.build.tvm_version == build.tvm_version, "make golden"


UTTERANCE = Utterance(0, "hello", "həlˈO", 0, 5)
SPOKEN = RunKey("starter", "0f", "hello", "am_rowan", 1.0, 0, "dynamic", 1.0, "cpu", "tir", "float32")
TODAY = RunContext(SPOKEN, Build("abc", "0.27", "x86-64-v3"))
FLOOR, ERROR = 1e-6, 2e-6


def row(error: float | None, regime: str = Regime.COMPILED, reading: InputSource = InputSource.ISOLATED) -> Row:
    metrics = Metrics(1.0, 1.0, 100.0, 1e-5, error, 100.0)
    return Row(0, "f0n", "f0", regime, "dynamic", reading, Verdict.PASS, 0.99999, metrics)


def grader(*, golden: float | None = ERROR, floor: float | None = FLOOR) -> BaselineGrader:
    errors = [row(golden), row(golden, reading=InputSource.END_TO_END)] if golden is not None else []
    made = BaselineGrader(Golden.of(errors, [UTTERANCE], TODAY, date(2026, 3, 4)) if errors else None)
    made.begin_utterance(UTTERANCE)
    if floor is not None:
        for reading in InputSource:
            made.rated(row(floor, Regime.UPSTREAM, reading))
    return made


def test_a_row_is_held_against_floor_and_golden_run() -> None:
    rated = grader().rated(row(6e-6))
    assert rated.times_floor == pytest.approx(6)
    assert rated.times_golden == pytest.approx(3)
    assert rated.verdict is Verdict.PASS


@given(st.floats(0, 1))
def test_a_row_is_worse_beyond_ten_times_either(error: float) -> None:
    by_golden, by_floor = grader(floor=None).rated(row(error)), grader(golden=None).rated(row(error))
    assert (by_golden.verdict is Verdict.WORSE) is (error / ERROR > MAX_TIMES)
    assert (by_floor.verdict is Verdict.WORSE) is (error / FLOOR > MAX_TIMES)
    assert by_golden.times_floor is None
    assert by_floor.times_golden is None


def test_students_are_no_worse_for_differing_from_their_teacher_beyond_rounding() -> None:
    student = row(1.0, Regime.DISTILLED)
    assert grader().rated(student).verdict is Verdict.PASS
    assert grader().rated(replace(student, reference=Regime.STATIC_DISTILLED)).verdict is Verdict.WORSE


def test_an_error_that_was_fed_in_makes_no_row_worse() -> None:
    healthy, broken = grader(), grader()
    healthy.rated(row(ERROR))
    assert healthy.rated(row(1e-3, reading=InputSource.END_TO_END)).verdict is Verdict.PASS
    broken.rated(row(1e-3))
    assert broken.rated(row(1e-3, reading=InputSource.END_TO_END)).verdict is Verdict.WORSE


def test_no_floor_exists_without_an_upstream_error() -> None:
    assert grader(floor=0.0).rated(row(ERROR)).times_floor is None
    assert grader(floor=None).rated(row(ERROR)).times_floor is None
    assert grader().rated(row(FLOOR, Regime.UPSTREAM)).times_floor is None


def test_rows_without_an_error_have_no_ratio() -> None:
    for lost in (row(None), replace(row(1.0), metrics=None), replace(row(1.0), metrics=None, durations=EQUAL)):
        rated = grader().rated(lost)
        assert (rated.times_floor, rated.times_golden, rated.verdict) == (None, None, Verdict.PASS)


EQUAL = DurationMetrics(0, 0, 9, 9)


def test_other_phonemes_are_held_against_the_floor_alone() -> None:
    made = BaselineGrader(Golden.of([row(ERROR)], [UTTERANCE], TODAY, date(2026, 3, 4)))
    made.begin_utterance(replace(UTTERANCE, phonemes="jˈɛloʊ"))
    rated = made.rated(row(1e-3))
    assert rated.times_golden is None
    assert unpartnered([rated]) == (rated,)
    assert "different phonemes" in made.remark
    assert grader().remark == BaselineGrader(None).remark == ""


def test_rows_are_rated_again_when_the_golden_run_changes() -> None:
    made = [row(FLOOR, Regime.UPSTREAM), row(1e-3), row(1e-3, reading=InputSource.END_TO_END)]
    first = grader()
    rows = [first.rated(each) for each in made]
    assert [each.verdict for each in rows] == [Verdict.PASS, Verdict.WORSE, Verdict.WORSE]
    pinned = BaselineGrader(Golden.of(rows, [UTTERANCE], TODAY, date(2026, 3, 4)))
    pinned.begin_utterance(UTTERANCE)
    again = [pinned.rated(replace(each, times_floor=None)) for each in rows[1:]]
    assert [(each.verdict, each.times_golden) for each in again] == [(Verdict.PASS, 1), (Verdict.PASS, 1)]
    without = BaselineGrader(None)
    unpinned = [without.rated(each) for each in rows[1:]]
    assert [each.times_golden for each in unpinned] == [None, None]
    assert unpinned[0].times_floor == pytest.approx(1000)
    assert unpinned[0].verdict is Verdict.WORSE


def test_only_results_worse_than_golden_fail_a_golden_run() -> None:
    by_golden, by_floor = grader(floor=None).rated(row(1e-3)), grader(golden=None).rated(row(1e-3))
    assert worsened([by_golden, by_floor]) == (by_golden,)
    assert unpartnered([by_golden, by_floor, replace(by_floor, probe=True)]) == (by_floor,)
