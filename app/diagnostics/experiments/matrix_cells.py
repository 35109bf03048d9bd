"""What the matrix shows of a run: a cell for every stage in every regime."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtGui import QColor

from app.diagnostics.colours import verdict_tone
from app.diagnostics.metric_words import EXPECTED_RED, VERDICT_SIGNS, agreement_words, regime_title, verdict_meaning
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.theme import Colours
from engine.stages import STAGE_NAMES, STAGES, Stage, stage_named
from engine.validator.data.results import REGIME_MEANINGS, Regime, Row, Verdict

OWN_FAULT_ALPHA = 110
INHERITED_ALPHA = 55
RIGHT_ALPHA = 45
PASSED_ON = (Verdict.INHERITED, Verdict.INCOMPARABLE)
MIXED = "Mixed"
EXPECTED = "(red is expected)"


@dataclass(frozen=True)
class MatrixCell:
    """One stage in one regime; `row` is its worst, None while it is unknown."""

    stage: Stage
    regime: str
    row: Row | None

    @property
    def words(self) -> str:
        """A mark and a figure."""
        return "" if self.row is None else f"{VERDICT_SIGNS[self.row.verdict]} {agreement_words(self.row)}"

    @property
    def explanation(self) -> str:
        """The cell as a sentence or two."""
        title = f"{self.stage.title}, {regime_title(self.regime)}"
        if self.row is None:
            return f"{title}: nothing is known yet."
        return f"{title}: {self.row.output}, {agreement_words(self.row)}. {verdict_meaning(self.row)}"

    def colour(self, colours: Colours) -> QColor | None:
        """Green within tolerance; red beyond it, pale where the stage only passes on what reaches it."""
        if self.row is None:
            return None
        if self.row.verdict in PASSED_ON:
            return _tinted(colours.error, INHERITED_ALPHA)
        alpha = RIGHT_ALPHA if self.row.verdict is Verdict.PASS else OWN_FAULT_ALPHA
        return _tinted(str(getattr(colours, verdict_tone(self.row.verdict).value)), alpha)


@dataclass(frozen=True)
class Matrix:
    """Cells by stage, then by regime, in the order of `regimes`."""

    regimes: tuple[str, ...] = ()
    cells: tuple[tuple[MatrixCell, ...], ...] = ()


def matrix_of(run: DiagnosticsRun, shown: Shown) -> Matrix:
    """Every stage in every regime of a run, in one reading and in one utterance, or the worst of all."""
    order = [*map(str, Regime)]
    regimes = tuple(sorted(run.regimes, key=lambda name: order.index(name) if name in order else len(order)))
    cells = (tuple(_cell(run, replace(shown, regime=regime), stage) for regime in regimes) for stage in STAGES)
    return Matrix(regimes, tuple(cells))


def column_title(regime: str) -> str:
    """A short title, one for all regimes that have stages of others; on a line of its own, that red is expected."""
    title = regime_title(regime) if regime in tuple(Regime) else MIXED
    return f"{title}\n{EXPECTED}" if regime in EXPECTED_RED else title


def column_explanation(regime: str) -> str:
    """What a regime is."""
    if regime in tuple(Regime):
        return ". ".join(filter(None, (REGIME_MEANINGS[Regime(regime)], EXPECTED_RED.get(regime))))
    rest, *parts = regime.split("+")
    return f"{regime_title(rest)}, with {', '.join(map(_part_words, parts))}"


def _part_words(part: str) -> str:
    """A stage of another regime, or a kernel that was replaced, in words."""
    what, _, source = part.partition("=")
    title = stage_named(what).title if what in STAGE_NAMES else what
    return f"{title} from {regime_title(source)}"


def _cell(run: DiagnosticsRun, shown: Shown, stage: Stage) -> MatrixCell:
    return MatrixCell(stage, shown.regime, run.stage_summary(shown, stage.name))


def _tinted(name: str, alpha: int) -> QColor:
    colour = QColor(name)
    colour.setAlpha(alpha)
    return colour
