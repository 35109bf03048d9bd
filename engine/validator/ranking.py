"""Which rows of a validation are worse than others.

It does not know how verdicts are reached.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.validator.results import Regime, Row, Verdict

BEST_TO_WORST = (Verdict.PASS, Verdict.INHERITED, Verdict.INCOMPARABLE, Verdict.FAIL, Verdict.CRASHED)


def severity(row: Row) -> tuple[int, float]:
    """How bad a row is, as a key for sorting: its verdict first, then how far its correlation is from 1."""
    return BEST_TO_WORST.index(row.verdict), _distance(row)


def worst(rows: Iterable[Row]) -> Row | None:
    """The worst row, the first of equals; None where there is none."""
    return max(rows, key=severity, default=None)


def decides(row: Row) -> bool:
    """Whether a row can make the validation fail: only rows of compiled regimes do."""
    return row.regime.startswith(Regime.COMPILED)


def _distance(row: Row) -> float:
    if row.durations is not None:
        return float(row.durations.differing_tokens)
    if row.metrics is None or row.metrics.pearson is None:
        return math.inf
    return 1 - row.metrics.pearson
