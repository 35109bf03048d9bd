import itertools

import pytest

from engine.compiler.correlation import Correlation
from engine.compiler.kernel_timing import RUNS, seconds_of
from engine.compiler.schedules.filter_choice import choices
from tests.engine.kernels import host, host_microkernel


@pytest.mark.parametrize("sizes", [Correlation(32, 33, 3, padding=1), Correlation(3, 4, 4, stride=2)], ids=str)
def test_every_choice_runs_and_the_middle_time_counts(sizes):
    spans = itertools.cycle([9, 1, 2, 3, 100][:RUNS])
    ticks = itertools.chain.from_iterable((0, span) for span in spans)
    measure = seconds_of(host(), lambda: next(ticks))
    found = choices(sizes, host_microkernel())
    assert [measure(sizes, choice, 100) for choice in (found[0], found[-1])] == [3, 3]
