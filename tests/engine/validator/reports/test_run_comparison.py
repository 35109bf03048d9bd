"""Two runs compared."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.validator.data.results import DurationMetrics, Reading, Regime, Report, Row, ValidationRequest, Verdict
from engine.validator.reports.run_comparison import RowPair, RunComparison, compare_runs
from tests.engine.validator.reports.example_report import example_report

COMPILED, NO_PACK = Regime.COMPILED, Regime.STATIC_NO_PACK


@pytest.fixture(scope="module")
def report() -> Report:
    return example_report(1, frames=6)


def with_rows(report: Report, change: Callable[[Row], Row | None]) -> Report:
    return replace(report, rows=tuple(row for each in report.rows if (row := change(each)) is not None))


def asked(report: Report, **changes: object) -> Report:
    return replace(report, request=replace(report.request, **changes))


def spoken(report: Report, **changes: object) -> Report:
    return asked(report, speech=replace(report.request.speech, **changes))


def pair(found: RunComparison, output: str, reading: Reading = Reading.REFERENCE_FED) -> RowPair:
    return next(pair for pair in found.pairs if (pair.output, pair.reading) == (output, reading))


def test_a_run_equals_itself(report: Report) -> None:
    found = compare_runs(report, COMPILED, report, COMPILED)
    assert found.comparable
    assert found.differences == ()
    assert len(found.pairs) == sum(row.regime == COMPILED for row in report.rows)
    assert {each.ratio for each in found.pairs if each.first is not None and each.first.metrics} == {1.0}
    assert all(each.obstacle == "" for each in found.pairs)


def test_errors_are_compared_as_a_ratio(report: Report) -> None:
    def tenfold(row: Row) -> Row:
        if row.metrics is None or row.metrics.relative_l2 is None:
            return row
        return replace(row, metrics=replace(row.metrics, relative_l2=10 * row.metrics.relative_l2))

    found = compare_runs(with_rows(report, tenfold), COMPILED, report, COMPILED)
    assert pair(found, "f0").ratio == pytest.approx(10)
    assert pair(found, "frame_token").ratio is None


def test_two_regimes_of_one_run_are_compared(report: Report) -> None:
    found = compare_runs(report, NO_PACK, report, COMPILED)
    assert found.comparable
    assert found.differences == ("regime: static-no-pack and compiled",)
    assert (pair(found, "audio").ratio or 0) > 1


def test_what_only_one_run_has_is_said(report: Report) -> None:
    shorter = with_rows(report, lambda row: None if row.output == "f0" else row)
    assert pair(compare_runs(report, COMPILED, shorter, COMPILED), "f0").obstacle == "only in the first run"
    found = pair(compare_runs(shorter, COMPILED, report, COMPILED), "f0")
    assert (found.obstacle, found.first, found.ratio) == ("only in the second run", None, None)


def test_rows_that_cannot_be_compared_say_why(report: Report) -> None:
    def worse(row: Row) -> Row:
        match row.output:
            case "frame_token":
                return replace(row, durations=DurationMetrics(1, 0, 7, 6))
            case "audio":
                return replace(row, metrics=None, verdict=Verdict.INCOMPARABLE)
            case "f0" if row.metrics is not None:
                return replace(row, metrics=replace(row.metrics, relative_l2=None))
            case _:
                return row

    found = compare_runs(report, COMPILED, with_rows(report, worse), COMPILED)
    assert pair(found, "frame_token").obstacle == "other durations"
    assert pair(found, "audio").obstacle == "other length"
    assert pair(found, "f0").obstacle == "not finite"


def test_an_error_over_none_has_no_ratio(report: Report) -> None:
    def exact(row: Row) -> Row:
        return row if row.metrics is None else replace(row, metrics=replace(row.metrics, relative_l2=0.0))

    perfect = with_rows(report, exact)
    assert pair(compare_runs(report, COMPILED, perfect, COMPILED), "f0").ratio is None
    assert pair(compare_runs(perfect, COMPILED, perfect, COMPILED), "f0").ratio == 1
    assert pair(compare_runs(perfect, COMPILED, report, COMPILED), "f0").ratio == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda report: spoken(report, text="Another text."), "They speak different texts."),
        (lambda report: spoken(report, voice="bf_emma"), "They speak in different voices:"),
        (lambda report: spoken(report, language="fr-FR"), "They speak different languages: the voice’s own and fr-FR."),
        (lambda report: spoken(report, speed=2.0), "They have different lengths: speed 1 and 2."),
        (lambda report: spoken(report, seed=9), "They have different noise: seed 0 and 9."),
        (lambda report: asked(report, phonemes="hə"), "They speak different phonemes."),
        (lambda report: asked(report, model="kokoro-82m"), "They are of different models: starter and kokoro-82m."),
        (lambda report: asked(report, reference=Regime.UPSTREAM), "They were compared with different references:"),
        (lambda report: replace(report, rows=()), "The second run has no values of compiled."),
    ],
)
def test_runs_that_cannot_be_compared_say_why(report: Report, change: Callable, words: str) -> None:
    plain = replace(report, request=ValidationRequest(report.request.speech))
    plain = spoken(plain, speed=1.0, seed=0, language=None)
    found = compare_runs(plain, COMPILED, change(plain), COMPILED)
    assert not found.comparable
    assert found.obstacles[0].startswith(words)
    assert all(each.ratio is None for each in found.pairs)


def test_settings_may_differ_and_are_named(report: Report) -> None:
    other = replace(
        asked(report, padding=4.0, fault="swapped-gates"),
        device_choice="metal",
        versions={**report.versions, "numpy": "1.0"},
    )
    found = compare_runs(report, COMPILED, other, COMPILED)
    assert found.comparable
    names = [words.partition(":")[0] for words in found.differences]
    assert names == ["planted fault", "padding", "device", "numpy"]
    assert found.differences[2].endswith(" and metal")
