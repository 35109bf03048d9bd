import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from app.diagnostics.stages.strip import SHORTEST_SECONDS, TimeScale

AREA = QRectF(100, 0, 400, 20)
MOVES = st.lists(st.tuples(st.sampled_from(["zoom", "move"]), st.floats(0.01, 100), st.floats(-100, 100)), max_size=12)


@given(length=st.floats(0.001, 1000), moves=MOVES)
def test_what_is_in_view_never_leaves_the_length(length: float, moves: list[tuple[str, float, float]]) -> None:
    scale = TimeScale()
    scale.show_length(length)
    for kind, factor, seconds in moves:
        if kind == "zoom":
            scale.zoom(factor, min(abs(seconds), length))
        else:
            scale.move(seconds)
        start, end = scale.in_view
        assert start >= 0
        assert end <= length * (1 + 1e-9)
        assert end - start >= min(SHORTEST_SECONDS, length) * (1 - 1e-6)


@given(seconds=st.floats(0, 2), factor=st.floats(0.05, 1))
def test_zooming_keeps_the_seconds_in_place(seconds: float, factor: float) -> None:
    scale = TimeScale()
    scale.show_length(2.0)
    before = scale.x_of(seconds, AREA)
    scale.zoom(factor, seconds)
    assert scale.x_of(seconds, AREA) == pytest.approx(before, abs=1e-6)


@given(x=st.floats(100, 500))
def test_pixels_and_seconds_are_each_other_s_inverse(x: float) -> None:
    scale = TimeScale()
    scale.show_length(3.0)
    scale.zoom(0.3, 1.2)
    assert scale.x_of(scale.seconds_at(x, AREA), AREA) == pytest.approx(x)


def test_beyond_the_area_is_the_nearest_end() -> None:
    scale = TimeScale()
    scale.show_length(3.0)
    assert scale.seconds_at(0, AREA) == 0
    assert scale.seconds_at(900, AREA) == 3.0


def test_all_can_be_shown_again(qtbot: QtBot) -> None:
    scale = TimeScale()
    scale.show_length(3.0)
    scale.zoom(0.5, 0)
    with qtbot.waitSignal(scale.changed):
        scale.show_all()
    assert scale.in_view == (0, 3.0)
