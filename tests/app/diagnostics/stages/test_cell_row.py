import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.diagnostics.colours import Scale, table_of
from app.diagnostics.stages.strip import COLUMNS, CellRow
from app.theme import Appearance, Theme


@pytest.mark.parametrize(("seconds", "error"), [(0, 1), (0.05, 1), (0.1, 2), (0.95, 3), (1, 3), (5, 3)])
def test_the_error_of_a_moment(seconds: float, error: float) -> None:
    assert CellRow(np.array([0, 0.1, 0.9, 1.0]), np.array([1.0, 2.0, 3.0])).error_at(seconds) == error


def test_a_row_may_have_words_instead() -> None:
    assert CellRow(np.zeros(2), np.zeros(0), "crashed").error_at(0.5) is None


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_unequal_cells_lie_where_they_belong_in_the_colour_of_their_error(theme: Theme, appearance: Appearance) -> None:
    theme.choose(appearance)
    row = CellRow(np.array([0, 0.2, 1.8, 2.0]), np.array([0.0, 100.0, 0.0]))
    image = row.image()
    least, most = (QColor(*table_of(Scale.ERRORS)[step].tolist()).name() for step in (0, -1))
    found = [image.pixelColor(int(share * COLUMNS), 0).name() for share in (0.05, 0.15, 0.85, 0.95)]
    assert found == [least, most, most, least]
