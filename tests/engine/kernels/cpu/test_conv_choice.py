"""The filter of a convolution follows from its sizes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.kernels.convolution import Correlation, transposed
from engine.kernels.cpu.conv_choice import Choice, choice_for, choices, form_for, plan_for
from engine.kernels.cpu.direct_plan import CorrelationPlan
from engine.kernels.cpu.register_tile import AVX2, AVX512, NEON, Microkernel
from engine.kernels.cpu.winograd import MinimalFilter
from engine.kernels.cpu.winograd_plan import Filtering


@pytest.mark.parametrize(
    ("sizes", "form"),
    [
        ((128, 128, 3, 1), MinimalFilter(6, 3)),
        ((128, 128, 7, 1), MinimalFilter(4, 7)),
        ((128, 128, 5, 1), MinimalFilter(3, 5)),
        ((512, 512, 5, 1), MinimalFilter(2, 5)),
        ((256, 128, 3, 1), MinimalFilter(4, 3)),
        ((256, 256, 11, 1), MinimalFilter(6, 6)),
        ((128, 128, 1, 1), None),
        ((128, 128, 12, 6), None),
        ((128, 22, 7, 1), MinimalFilter(4, 7)),
        ((12, 128, 7, 1), None),
        ((128, 12, 7, 1), None),
        ((1024, 1024, 3, 1), None),
    ],
)
def test_the_form_follows_from_the_sizes(sizes: tuple[int, int, int, int], form: MinimalFilter | None) -> None:
    in_channels, out_channels, taps, stride = sizes
    assert form_for(Correlation(in_channels, out_channels, taps, stride=stride)) == form


def test_transposed_convolutions_are_filtered_phase_by_phase() -> None:
    sizes = transposed(512, 256, 20, 10, 5)
    assert form_for(sizes) == MinimalFilter(3, 2)
    assert form_for(transposed(1024, 256, 20, 10, 5)) is None
    assert choice_for(sizes, replace(AVX2, tuned=((sizes.unplaced, Choice(None, 6, 16)),))) == Choice(None, 6, 16)


def test_careful_convolutions_have_a_filter_that_rounds_little() -> None:
    careful = replace(AVX2, careful=True)
    assert choice_for(Correlation(128, 128, 3), careful).form == MinimalFilter(2, 3)
    assert choice_for(Correlation(128, 128, 1), careful).form is None


@pytest.mark.parametrize("microkernel", [AVX512, AVX2, NEON])
def test_choices_fill_as_many_registers(microkernel: Microkernel) -> None:
    sizes = Correlation(128, 128, 3, padding=1)
    found = choices(sizes, microkernel)
    assert found[0] == choice_for(sizes, microkernel)
    assert len(found) == len(set(found)) == 6
    registers = microkernel.rows * microkernel.vectors
    assert {choice.rows * choice.columns // microkernel.lanes for choice in found} == {registers}
    assert {choice.form for choice in found} == {None, form_for(sizes)}


def test_what_is_never_filtered_has_no_filter_to_choose() -> None:
    assert {choice.form for choice in choices(Correlation(1024, 1024, 3), AVX512)} == {None}


def test_tiles_are_narrow_where_weights_are_read_from_memory() -> None:
    sizes = Correlation(1024, 512, 3)
    assert choice_for(sizes, AVX512) == Choice(None, 16, 16)
    assert choice_for(Correlation(22, 256, 12, stride=6), AVX512) == Choice(None, 16, 16)
    assert choice_for(Correlation(512, 256, 5), AVX512) == Choice(MinimalFilter(2, 5), 24, 16)
    assert choice_for(Correlation(256, 256, 3), AVX512) == Choice(MinimalFilter(4, 3), AVX512.rows, AVX512.columns)
    assert choice_for(sizes, AVX2) == Choice(None, AVX2.rows, AVX2.columns)
    assert choice_for(sizes, NEON) == Choice(None, NEON.rows, NEON.columns)


def test_a_single_tap_has_packed_input_serve_more_rows() -> None:
    assert choice_for(Correlation(1090, 1024, 1), AVX2) == Choice(None, 6, 16)
    assert choice_for(Correlation(1090, 1024, 1), AVX512) == Choice(None, 16, 16)
    assert choice_for(Correlation(1090, 1024, 1), NEON) == Choice(None, NEON.rows, NEON.columns)


@pytest.mark.parametrize("sizes", [Correlation(1024, 512, 3), Correlation(1024, 512, 1)], ids=str)
def test_direct_convolutions_have_the_tile_of_their_choice(sizes: Correlation) -> None:
    plan, choice = plan_for(sizes, AVX2), choice_for(sizes, AVX2)
    assert isinstance(plan, CorrelationPlan)
    assert (plan.microkernel.rows, plan.microkernel.columns) == (choice.rows, choice.columns)


@pytest.mark.parametrize("sizes", [Correlation(128, 128, 11, 5), transposed(512, 256, 20, 10, 5)], ids=str)
def test_filtered_ones_have_the_form_too(sizes: Correlation) -> None:
    plan = plan_for(sizes, AVX2)
    assert isinstance(plan, Filtering)
    assert plan.form == choice_for(sizes, AVX2).form
    assert plan.packed_shape[1] == plan.form.samples
