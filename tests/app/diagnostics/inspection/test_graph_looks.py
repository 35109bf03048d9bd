from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.diagnostics.colours import error_table
from app.diagnostics.inspection.folding import Box
from app.diagnostics.inspection.graph_items import BoxLook
from app.diagnostics.inspection.graph_looks import box_lines, box_look, error_fills, widest_lines
from app.theme import DARK, LIGHT, Colours
from engine.inspection.results import KernelVerdict
from tests.app.inspection_fakes import STAGE, inspected, measurement

KNOWN = inspected().stage(STAGE)
assert KNOWN is not None


def look_of(box: Box, colours: Colours = LIGHT) -> BoxLook:
    assert KNOWN is not None
    return box_look(box, KNOWN, colours, colours.surface)


def test_a_kernel_says_its_name_module_and_state() -> None:
    assert box_lines(Box(("b1",)), KNOWN) == ("conv1d b1", "predictor.N.0.conv1", "✗ 3.1e4 × floor")
    assert box_lines(Box(("a2",)), KNOWN) == ("add a2", "? Not comparable")
    assert box_lines(Box(("in",)), KNOWN) == ("prosody_features", "input")


def test_a_folded_module_says_its_path_and_the_worst_state() -> None:
    box = Box(("b1", "b2"), "predictor.N.0")
    assert box_lines(box, KNOWN) == ("▸ predictor.N.0", "2 kernels · ✗ 3.1e4 × floor")


def test_a_box_keeps_its_size_while_measurements_come_in() -> None:
    waiting = inspected(measurement("a1"), finished=False).stage(STAGE)
    assert waiting is not None
    for box in (Box(("b1",)), Box(("b1", "b2"), "predictor.N.0")):
        assert widest_lines(box, waiting) == widest_lines(box, KNOWN)


def test_no_two_verdicts_are_framed_alike_even_without_colours() -> None:
    looks = [look_of(Box((node,))) for node in ("a1", "a2", "a3", "b1")]
    assert len({(look.width_pixels, look.style) for look in looks}) == len(looks)
    assert look_of(Box(("in",))).style is Qt.PenStyle.DotLine


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_fills_go_by_the_relative_error(colours: Colours) -> None:
    errors = [replace(measurement("a"), relative_l2=error) for error in (1e-7, 1e-3, 10.0)]
    table = error_table(colours)
    small, middle, large = error_fills(errors, colours, table)
    assert small == QColor(*table[0].tolist()).name()
    assert large == QColor(*table[-1].tolist()).name()
    assert middle not in (small, large)


def test_values_that_are_not_finite_look_like_the_largest_error() -> None:
    table = error_table(LIGHT)
    lost = replace(measurement("a", KernelVerdict.WRONG), relative_l2=None)
    assert error_fills([lost], LIGHT, table) == (QColor(*table[-1].tolist()).name(),)


def test_what_has_no_error_has_no_colour() -> None:
    unknown = measurement("a", KernelVerdict.UNKNOWN)
    assert error_fills([None, unknown], LIGHT, error_table(LIGHT)) == (LIGHT.surface, LIGHT.surface)
    assert error_fills([], LIGHT, error_table(LIGHT)) == ()
