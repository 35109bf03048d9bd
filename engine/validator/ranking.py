"""Which rows of a validation are worse than others.

It does not know how verdicts are reached.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.validator.results import Regime, Row, Verdict

ALL_FINITE_PERCENT = 100.0
BEST_TO_WORST = (Verdict.PASS, Verdict.INHERITED, Verdict.INCOMPARABLE, Verdict.FAIL, Verdict.CRASHED)


def severity(row: Row) -> tuple[int, float, float]:
    """How bad a row is, as a key for sorting: its verdict first, then what was measured."""
    verdict = BEST_TO_WORST.index(row.verdict)
    if row.durations is not None:
        return verdict, float(row.durations.differing_tokens), 0.0
    if row.metrics is None:
        return verdict, math.inf, 0.0
    if row.metrics.relative_l2 is None:
        return verdict, math.inf, ALL_FINITE_PERCENT - row.metrics.finite_percent
    return verdict, row.metrics.relative_l2, row.metrics.max_abs or 0.0


def worst(rows: Iterable[Row]) -> Row | None:
    """The worst row, the first of equals; None where there is none."""
    return max(rows, key=severity, default=None)


def decides(row: Row) -> bool:
    """Whether a row can make the validation fail: only rows of compiled regimes do."""
    return row.regime.startswith(Regime.COMPILED)
