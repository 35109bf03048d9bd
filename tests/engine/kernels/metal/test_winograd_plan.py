"""How Winograd convolutions are divided among simdgroups, and in which order their sets lie in time."""

import pytest

from engine.compiler.targets import DEFAULT_THREADS
from engine.kernels.convolution import ConvWorkload
from engine.kernels.metal.conv_choice import WINOGRADS
from engine.kernels.metal.winograd_plan import WinogradTile
from engine.kernels.winograd import Winograd


@pytest.mark.parametrize("winograd", WINOGRADS, ids=str)
def test_tiles_fit_every_gpu(winograd):
    plan = WinogradTile(ConvWorkload(128, 128, winograd.taps, 5), winograd)
    assert plan.suits
    assert plan.thread_count <= DEFAULT_THREADS
    assert plan.simdgroups * plan.points_each == plan.points
    assert plan.accumulators == 16
    assert plan.pitch % 16 == 8


@pytest.mark.parametrize(
    ("sizes", "winograd"),
    [
        (ConvWorkload(128, 128, 5), (6, 3)),
        (ConvWorkload(128, 128, 3, stride=2), (6, 3)),
        (ConvWorkload(8, 128, 3), (6, 3)),
        (ConvWorkload(128, 8, 3), (6, 3)),
        (ConvWorkload(128, 128, 7), (3, 7)),
        (ConvWorkload(128, 128, 11), (8, 11)),
    ],
    ids=["taps", "stride", "channels", "rows", "odd number of points", "points"],
)
def test_what_it_does_not_suit(sizes, winograd):
    assert not WinogradTile(sizes, Winograd(*winograd)).suits


@pytest.mark.parametrize("dilation", [1, 3, 5])
def test_sets_have_every_position_once(dilation):
    plan = WinogradTile(ConvWorkload(16, 16, 3, dilation), Winograd(6, 3))
    positions = {}
    for number in range(int(plan.units(100))):
        first = int(plan.position(number))
        for output in range(6):
            position = first + output * dilation
            assert (int(plan.set_at(position)), int(plan.output_at(position))) == (number, output)
            assert positions.setdefault(position, number) == number
    assert set(range(100)) <= set(positions)


@pytest.mark.parametrize("dilation", [1, 3, 5])
@pytest.mark.parametrize("tile", [0, 1, 4])
def test_all_outputs_of_a_tile_are_in_its_span(dilation, tile):
    plan = WinogradTile(ConvWorkload(16, 16, 3, dilation), Winograd(6, 3))
    first = tile * plan.tile_columns
    begin = first // dilation * plan.stretch
    last = int(plan.position(first + plan.tile_columns - 1)) + 5 * dilation
    assert begin <= int(plan.position(first))
    assert last < begin + plan.span
