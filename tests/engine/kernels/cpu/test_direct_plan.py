"""The sizes of a tile; results are tested with the operators."""

import pytest

from engine.kernels.convolution import ConvWorkload, transposed
from engine.kernels.cpu.direct_plan import WEIGHTS_AHEAD, DirectPlan
from engine.kernels.cpu.register_tile import AVX2, AVX512, Microkernel


@pytest.mark.parametrize(
    ("out_channels", "blocks", "rows"), [(1, 1, 1), (8, 1, 8), (9, 2, 5), (22, 3, 8), (256, 32, 8)]
)
def test_rows_are_shared_out_evenly(out_channels: int, blocks: int, rows: int) -> None:
    assert DirectPlan(ConvWorkload(4, out_channels, 3), AVX512).packed_shape == (blocks, 4, 3, rows)


@pytest.mark.parametrize("microkernel", [AVX512, AVX2])
def test_strided_taps_read_their_phase(microkernel: Microkernel) -> None:
    plan = DirectPlan(ConvWorkload(22, 256, 12, stride=6, padding=3), microkernel)
    assert plan.phases == 6
    assert [plan.phase(tap) + plan.shift(tap) * 6 for tap in range(12)] == list(range(12))
    assert plan.halo == 1


def test_weights_are_asked_for_a_fixed_time_before_they_are_read() -> None:
    for taps in (2, 3, 7):
        plan = DirectPlan(ConvWorkload(1024, 1024, taps), AVX2)
        each_bytes = 4 * taps * AVX2.rows
        assert WEIGHTS_AHEAD <= plan.channels_ahead * each_bytes < WEIGHTS_AHEAD + each_bytes


@pytest.mark.parametrize(
    ("channels", "taps", "expected"), [(1024, 1, 4), (1090, 1, 2), (1024, 3, 2), (256, 2, 2), (22, 12, 1), (7, 1, 1)]
)
def test_steps_of_few_taps_take_several_channels_and_leave_none(channels: int, taps: int, expected: int) -> None:
    assert DirectPlan(ConvWorkload(channels, 64, taps), AVX2).channels_at_once == expected


@pytest.mark.parametrize(("microkernel", "taps", "expected"), [(AVX2, 3, True), (AVX2, 1, False), (AVX512, 3, False)])
def test_what_keeps_loads_busy_asks_for_nothing_more(microkernel: Microkernel, taps: int, expected: bool) -> None:
    assert DirectPlan(ConvWorkload(1024, 1024, taps), microkernel).reads_ahead == expected


@pytest.mark.parametrize("microkernel", [AVX512, AVX2])
def test_each_tile_reads_the_columns_that_were_packed_for_it(microkernel: Microkernel) -> None:
    plan = DirectPlan(ConvWorkload(64, 64, 7), microkernel)
    packed = plan.packed
    assert packed.parts > 1
    for part in range(packed.parts):
        assert plan.panel(part) < packed.panels
        assert plan.origin(part) + plan.tile.columns + plan.halo <= packed.pitch
        assert (plan.panel(part) * plan.tile.columns if packed.apart else plan.origin(part)) == part * plan.tile.columns


def test_a_transposed_convolution_has_a_row_per_phase() -> None:
    assert DirectPlan(transposed(8, 5, 20, 10, 5), AVX512).packed_shape == (7, 8, 2, 8)
