"""Direct convolutions: their choice, tiles and kernel; every kind of size is tested with the operators."""

from dataclasses import replace

import numpy as np
import pytest

from engine.compiler.kernels.convolution import ConvWorkload, transposed, weight_at
from engine.compiler.kernels.cpu.conv_choice import ConvAlgorithm, choice_for, choices, plan_for, winograd_for
from engine.compiler.kernels.cpu.direct_conv import direct_conv, pack_direct_weight
from engine.compiler.kernels.cpu.direct_plan import WEIGHTS_AHEAD, DirectPlan
from engine.compiler.kernels.cpu.register_tile import AVX2, AVX512, NEON
from engine.compiler.kernels.cpu.winograd_plan import WinogradPlan
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.winograd import Winograd
from tests.engine.compiler.kernels.convolutions import convolved
from tests.engine.compiler.kernels.cpu.running import built

SIZES = ConvWorkload(3, 9, 4, dilation=3, stride=2, padding=5)


@pytest.mark.parametrize(("microkernel", "apart"), [(AVX512, False), (AVX2, True)])
@pytest.mark.parametrize("length", [1, 90, 1001])
def test_side_by_side_tiles_read_the_data_packed_for_them(microkernel, apart, length):
    plan = DirectPlan(SIZES, microkernel)
    assert plan.packed.apart == apart
    assert plan.packed.parts > 1
    generator = np.random.default_rng(length)
    x = generator.standard_normal((2, 3, length)).astype(np.float32)
    weight = generator.standard_normal((9, 3, 4)).astype(np.float32)
    expected = convolved(SIZES, x, weight)
    packed = built(pack_direct_weight(plan, weight.shape, weight_at))(plan.packed_shape, weight)
    found = built(direct_conv(plan, Epilogue(False)))(expected.shape, x, packed)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_rows_that_are_not_there_have_no_weight():
    plan = DirectPlan(ConvWorkload(3, 9, 2), AVX512)
    weight = 1 + np.arange(9 * 3 * 2, dtype=np.float32).reshape(9, 3, 2)
    packed = built(pack_direct_weight(plan, weight.shape, weight_at))(plan.packed_shape, weight)
    by_row = packed.transpose(0, 3, 1, 2).reshape(10, 3, 2)
    np.testing.assert_array_equal(by_row[:9], weight)
    assert not by_row[9].any()


@pytest.mark.parametrize(
    ("out_channels", "blocks", "rows"), [(1, 1, 1), (8, 1, 8), (9, 2, 5), (22, 3, 8), (256, 32, 8)]
)
def test_rows_are_shared_out_evenly(out_channels, blocks, rows):
    assert DirectPlan(ConvWorkload(4, out_channels, 3), AVX512).packed_shape == (blocks, 4, 3, rows)


@pytest.mark.parametrize("microkernel", [AVX512, AVX2])
def test_strided_taps_read_their_phase(microkernel):
    plan = DirectPlan(ConvWorkload(22, 256, 12, stride=6, padding=3), microkernel)
    assert plan.phases == 6
    assert [plan.phase(tap) + plan.shift(tap) * 6 for tap in range(12)] == list(range(12))
    assert plan.halo == 1


def test_weights_are_asked_for_a_fixed_time_before_they_are_read():
    for taps in (2, 3, 7):
        plan = DirectPlan(ConvWorkload(1024, 1024, taps), AVX2)
        each_bytes = 4 * taps * AVX2.rows
        assert WEIGHTS_AHEAD <= plan.channels_ahead * each_bytes < WEIGHTS_AHEAD + each_bytes


@pytest.mark.parametrize(
    ("channels", "taps", "expected"), [(1024, 1, 4), (1090, 1, 2), (1024, 3, 2), (256, 2, 2), (22, 12, 1), (7, 1, 1)]
)
def test_steps_of_few_taps_take_several_channels_and_leave_none(channels, taps, expected):
    assert DirectPlan(ConvWorkload(channels, 64, taps), AVX2).channels_at_once == expected


@pytest.mark.parametrize(("microkernel", "taps", "expected"), [(AVX2, 3, True), (AVX2, 1, False), (AVX512, 3, False)])
def test_kernels_with_busy_loads_do_not_prefetch(microkernel, taps, expected):
    assert DirectPlan(ConvWorkload(1024, 1024, taps), microkernel).reads_ahead == expected


@pytest.mark.parametrize("microkernel", [AVX512, AVX2])
def test_each_tile_reads_the_columns_that_were_packed_for_it(microkernel):
    plan = DirectPlan(ConvWorkload(64, 64, 7), microkernel)
    packed = plan.packed
    assert packed.parts > 1
    for part in range(packed.parts):
        assert plan.panel(part) < packed.panels
        assert plan.origin(part) + plan.tile.columns + plan.halo <= packed.pitch
        assert (plan.panel(part) * plan.tile.columns if packed.apart else plan.origin(part)) == part * plan.tile.columns


def test_a_transposed_convolution_has_a_row_per_phase():
    assert DirectPlan(transposed(8, 5, 20, 10, 5), AVX512).packed_shape == (7, 8, 2, 8)


@pytest.mark.parametrize(
    ("sizes", "winograd"),
    [
        ((128, 128, 3, 1), Winograd(6, 3)),
        ((128, 128, 7, 1), Winograd(8, 7)),
        ((128, 128, 5, 1), Winograd(3, 5)),
        ((512, 512, 5, 1), Winograd(2, 5)),
        ((256, 128, 3, 1), Winograd(4, 3)),
        ((256, 256, 11, 1), Winograd(6, 11)),
        ((128, 128, 1, 1), None),
        ((128, 128, 12, 6), None),
        ((128, 22, 7, 1), Winograd(8, 7)),
        ((12, 128, 7, 1), None),
        ((128, 12, 7, 1), None),
        ((1024, 1024, 3, 1), None),
    ],
)
def test_winograd_follows_from_the_sizes(sizes, winograd):
    in_channels, out_channels, taps, stride = sizes
    assert winograd_for(ConvWorkload(in_channels, out_channels, taps, stride=stride)) == winograd


def test_transposed_convolutions_use_winograd_phase_by_phase():
    sizes = transposed(512, 256, 20, 10, 5)
    assert winograd_for(sizes) == Winograd(3, 2)
    assert winograd_for(transposed(1024, 256, 20, 10, 5)) is None
    assert choice_for(sizes, replace(AVX2, tuned=((sizes.unplaced, ConvAlgorithm(None, 6, 16)),))) == ConvAlgorithm(
        None, 6, 16
    )


@pytest.mark.parametrize("microkernel", [AVX512, AVX2, NEON])
def test_choices_fill_as_many_registers(microkernel):
    sizes = ConvWorkload(128, 128, 3, padding=1)
    found = choices(sizes, microkernel)
    assert found[0] == choice_for(sizes, microkernel)
    assert len(found) == len(set(found)) == 6
    registers = microkernel.rows * microkernel.vectors
    assert {choice.rows * choice.columns // microkernel.lanes for choice in found} == {registers}
    assert {choice.winograd for choice in found} == {None, winograd_for(sizes)}


def test_tiles_of_winograd_are_at_least_as_wide_as_the_dilation():
    assert {choice.columns for choice in choices(ConvWorkload(128, 128, 3, dilation=5), NEON) if choice.winograd} == {
        2 * NEON.lanes,
        3 * NEON.lanes,
    }
    assert choice_for(ConvWorkload(128, 128, 3, dilation=AVX2.columns + 1), AVX2).winograd is None


@pytest.mark.parametrize(("dilation", "rows", "columns"), [(1, 4, 24), (3, 4, 24), (5, 6, 16)])
def test_few_columns_are_left_over_from_a_dilation(dilation, rows, columns):
    sizes = ConvWorkload(128, 128, 11, dilation)
    assert choice_for(sizes, AVX2) == ConvAlgorithm(Winograd(6, 11), rows, columns)
    assert choice_for(sizes, AVX512) == ConvAlgorithm(Winograd(6, 11), AVX512.rows, AVX512.columns)


def test_convolutions_never_computed_by_winograd_offer_no_such_choice():
    assert {choice.winograd for choice in choices(ConvWorkload(1024, 1024, 3), AVX512)} == {None}


def test_tiles_are_narrow_where_weights_are_read_from_memory():
    sizes = ConvWorkload(1024, 512, 3)
    assert choice_for(sizes, AVX512) == ConvAlgorithm(None, 16, 16)
    assert choice_for(ConvWorkload(22, 256, 12, stride=6), AVX512) == ConvAlgorithm(None, 16, 16)
    assert choice_for(ConvWorkload(512, 256, 5), AVX512) == ConvAlgorithm(Winograd(2, 5), 24, 16)
    assert choice_for(ConvWorkload(256, 256, 3), AVX512) == ConvAlgorithm(Winograd(4, 3), AVX512.rows, AVX512.columns)
    assert choice_for(sizes, AVX2) == ConvAlgorithm(None, AVX2.rows, AVX2.columns)
    assert choice_for(sizes, NEON) == ConvAlgorithm(None, NEON.rows, NEON.columns)


def test_a_single_tap_has_packed_input_serve_more_rows():
    assert choice_for(ConvWorkload(1090, 1024, 1), AVX2) == ConvAlgorithm(None, 6, 16)
    assert choice_for(ConvWorkload(1090, 1024, 1), AVX512) == ConvAlgorithm(None, 16, 16)
    assert choice_for(ConvWorkload(1090, 1024, 1), NEON) == ConvAlgorithm(None, NEON.rows, NEON.columns)


@pytest.mark.parametrize("sizes", [ConvWorkload(1024, 512, 3), ConvWorkload(1024, 512, 1)], ids=str)
def test_direct_convolutions_have_the_tile_of_their_choice(sizes):
    plan, choice = plan_for(sizes, AVX2), choice_for(sizes, AVX2)
    assert isinstance(plan, DirectPlan)
    assert (plan.microkernel.rows, plan.microkernel.columns) == (choice.rows, choice.columns)


@pytest.mark.parametrize("sizes", [ConvWorkload(128, 128, 11, 5), transposed(512, 256, 20, 10, 5)], ids=str)
def test_others_may_be_computed_by_the_same_winograd(sizes):
    plan = plan_for(sizes, AVX2)
    assert isinstance(plan, WinogradPlan)
    assert plan.winograd == choice_for(sizes, AVX2).winograd
    assert plan.packed_shape[1] == plan.winograd.samples
