"""The sizes of a convolution decide whether it is computed by Winograd, unless it was tuned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.kernels.convolution import ConvWorkload, transposed
from engine.kernels.cpu.conv_choice import Choice, choice_for, choices, plan_for, winograd_for
from engine.kernels.cpu.direct_plan import DirectPlan
from engine.kernels.cpu.register_tile import AVX2, AVX512, NEON, Microkernel
from engine.kernels.cpu.winograd_plan import WinogradPlan
from engine.kernels.winograd import Winograd


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
def test_winograd_follows_from_the_sizes(sizes: tuple[int, int, int, int], winograd: Winograd | None) -> None:
    in_channels, out_channels, taps, stride = sizes
    assert winograd_for(ConvWorkload(in_channels, out_channels, taps, stride=stride)) == winograd


def test_transposed_convolutions_use_winograd_phase_by_phase() -> None:
    sizes = transposed(512, 256, 20, 10, 5)
    assert winograd_for(sizes) == Winograd(3, 2)
    assert winograd_for(transposed(1024, 256, 20, 10, 5)) is None
    assert choice_for(sizes, replace(AVX2, tuned=((sizes.unplaced, Choice(None, 6, 16)),))) == Choice(None, 6, 16)


@pytest.mark.parametrize("microkernel", [AVX512, AVX2, NEON])
def test_choices_fill_as_many_registers(microkernel: Microkernel) -> None:
    sizes = ConvWorkload(128, 128, 3, padding=1)
    found = choices(sizes, microkernel)
    assert found[0] == choice_for(sizes, microkernel)
    assert len(found) == len(set(found)) == 6
    registers = microkernel.rows * microkernel.vectors
    assert {choice.rows * choice.columns // microkernel.lanes for choice in found} == {registers}
    assert {choice.winograd for choice in found} == {None, winograd_for(sizes)}


def test_tiles_of_winograd_are_at_least_as_wide_as_the_dilation() -> None:
    assert {choice.columns for choice in choices(ConvWorkload(128, 128, 3, dilation=5), NEON) if choice.winograd} == {
        2 * NEON.lanes,
        3 * NEON.lanes,
    }
    assert choice_for(ConvWorkload(128, 128, 3, dilation=AVX2.columns + 1), AVX2).winograd is None


@pytest.mark.parametrize(("dilation", "rows", "columns"), [(1, 4, 24), (3, 4, 24), (5, 6, 16)])
def test_few_columns_are_left_over_from_a_dilation(dilation: int, rows: int, columns: int) -> None:
    sizes = ConvWorkload(128, 128, 11, dilation)
    assert choice_for(sizes, AVX2) == Choice(Winograd(6, 11), rows, columns)
    assert choice_for(sizes, AVX512) == Choice(Winograd(6, 11), AVX512.rows, AVX512.columns)


def test_what_is_never_computed_by_winograd_has_none_to_choose() -> None:
    assert {choice.winograd for choice in choices(ConvWorkload(1024, 1024, 3), AVX512)} == {None}


def test_tiles_are_narrow_where_weights_are_read_from_memory() -> None:
    sizes = ConvWorkload(1024, 512, 3)
    assert choice_for(sizes, AVX512) == Choice(None, 16, 16)
    assert choice_for(ConvWorkload(22, 256, 12, stride=6), AVX512) == Choice(None, 16, 16)
    assert choice_for(ConvWorkload(512, 256, 5), AVX512) == Choice(Winograd(2, 5), 24, 16)
    assert choice_for(ConvWorkload(256, 256, 3), AVX512) == Choice(Winograd(4, 3), AVX512.rows, AVX512.columns)
    assert choice_for(sizes, AVX2) == Choice(None, AVX2.rows, AVX2.columns)
    assert choice_for(sizes, NEON) == Choice(None, NEON.rows, NEON.columns)


def test_a_single_tap_has_packed_input_serve_more_rows() -> None:
    assert choice_for(ConvWorkload(1090, 1024, 1), AVX2) == Choice(None, 6, 16)
    assert choice_for(ConvWorkload(1090, 1024, 1), AVX512) == Choice(None, 16, 16)
    assert choice_for(ConvWorkload(1090, 1024, 1), NEON) == Choice(None, NEON.rows, NEON.columns)


@pytest.mark.parametrize("sizes", [ConvWorkload(1024, 512, 3), ConvWorkload(1024, 512, 1)], ids=str)
def test_direct_convolutions_have_the_tile_of_their_choice(sizes: ConvWorkload) -> None:
    plan, choice = plan_for(sizes, AVX2), choice_for(sizes, AVX2)
    assert isinstance(plan, DirectPlan)
    assert (plan.microkernel.rows, plan.microkernel.columns) == (choice.rows, choice.columns)


@pytest.mark.parametrize("sizes", [ConvWorkload(128, 128, 11, 5), transposed(512, 256, 20, 10, 5)], ids=str)
def test_others_may_be_computed_by_the_same_winograd(sizes: ConvWorkload) -> None:
    plan = plan_for(sizes, AVX2)
    assert isinstance(plan, WinogradPlan)
    assert plan.winograd == choice_for(sizes, AVX2).winograd
    assert plan.packed_shape[1] == plan.winograd.samples
