"""Either kernel gets what was chosen for it; every kind of size is tested with the operators."""

import pytest

from engine.compiler.correlation import Correlation, transposed
from engine.compiler.schedules.convolution_plan import plan_for
from engine.compiler.schedules.correlation_plan import CorrelationPlan
from engine.compiler.schedules.filter_choice import choice_for
from engine.compiler.schedules.filtering_plan import Filtering
from engine.ops.microkernel_tir import AVX2


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
