"""Where along time one stage differs: its errors between edges, and their picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from app.diagnostics.colours import coloured, error_positions, error_table, steps_of
from app.diagnostics.stages.strip_content import StripContent, errors_of, words_instead
from app.theme import Colours

COLUMNS = 2048


@dataclass(frozen=True, eq=False)
class CellRow:
    """Where along time one stage differs: `errors` [n] between `edges` [n + 1] seconds, or words instead."""

    edges: NDArray[np.float64]
    errors: NDArray[np.float64]
    words: str = ""

    def error_at(self, seconds: float) -> float | None:
        """The error of the cell at this time."""
        if not len(self.errors):
            return None
        index = int(np.searchsorted(self.edges, seconds, side="right")) - 1
        return float(self.errors[min(max(index, 0), len(self.errors) - 1)])

    def image(self, colours: Colours) -> QImage:
        """Its cells as one line of `COLUMNS` pixels over the whole length."""
        moments = (np.arange(COLUMNS) + 0.5) / COLUMNS * self.edges[-1]
        cells = np.clip(np.searchsorted(self.edges, moments, side="right") - 1, 0, len(self.errors) - 1)
        line = np.ascontiguousarray(coloured(steps_of(error_positions(self.errors)), error_table(colours))[cells])
        return QImage(line.data, COLUMNS, 1, COLUMNS * 4, QImage.Format.Format_RGBA8888).copy()


def cell_row(content: StripContent, number: int) -> CellRow | None:
    """The cells of a stage by its number; None while nothing is known of it."""
    row = content.rows[number]
    if row is None:
        return None
    errors = errors_of(row.profile)
    edges = content.clock.edges(row.profile.axis if row.profile is not None else "", max(len(errors), 1))
    return CellRow(edges, errors, words_instead(row))
