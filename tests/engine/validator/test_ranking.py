import math

import pytest

from engine.validator.ranking import BEST_TO_WORST, decides, severity, worst
from engine.validator.results import DurationMetrics, Metrics, Reading, Row, Verdict


def row(verdict: Verdict = Verdict.PASS, pearson: float | None = 1.0, regime: str = "compiled") -> Row:
    error = None if pearson is None else math.sqrt(2 * (1 - pearson))
    metrics = Metrics(pearson, pearson, 1.0, error, error, 100.0)
    return Row(0, "bert", "text_features", regime, "dynamic", Reading.OWN_FED, verdict, 0.99999, metrics)


def test_every_verdict_has_its_rank() -> None:
    assert sorted(BEST_TO_WORST) == sorted(Verdict)


def test_a_verdict_outweighs_a_correlation() -> None:
    assert severity(row(Verdict.FAIL, 0.99)) > severity(row(Verdict.INHERITED, 0.1))


def test_among_equal_verdicts_the_lower_correlation_is_worse() -> None:
    assert severity(row(pearson=0.999991)) > severity(row(pearson=0.999999))
    assert severity(row(Verdict.FAIL, None)) > severity(row(Verdict.FAIL, -1.0))


def test_durations_are_ranked_by_the_tokens_that_differ() -> None:
    def durations(differing: int) -> Row:
        found = DurationMetrics(differing, 0, 10, 10)
        return Row(
            0, "alignment", "frame_token", "compiled", "dynamic", Reading.OWN_FED, Verdict.FAIL, 1.0, None, None, found
        )

    assert severity(durations(2)) > severity(durations(1))


def test_the_worst_of_none_is_none() -> None:
    assert worst([]) is None


def test_the_worst_is_the_first_of_equals() -> None:
    first, second = row(pearson=0.5), row(pearson=0.5)
    assert worst([row(), first, second]) is first


@pytest.mark.parametrize(
    ("regime", "counts"), [("compiled", True), ("compiled with f0n from dynamic", True), ("upstream", False)]
)
def test_only_compiled_regimes_decide(regime: str, counts: bool) -> None:
    assert decides(row(regime=regime)) is counts
