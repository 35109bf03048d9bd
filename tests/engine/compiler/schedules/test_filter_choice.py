"""The filter of a convolution follows from its sizes."""

import pytest

from engine.compiler.correlation import Correlation
from engine.compiler.schedules.filter_choice import form_for
from engine.compiler.schedules.minimal_filter import MinimalFilter


@pytest.mark.parametrize(
    ("sizes", "form"),
    [
        ((128, 128, 3, 1), MinimalFilter(6, 3)),
        ((128, 128, 7, 1), MinimalFilter(4, 7)),
        ((256, 256, 11, 1), MinimalFilter(6, 6)),
        ((128, 128, 1, 1), None),
        ((128, 128, 12, 6), None),
        ((22, 128, 7, 1), None),
        ((128, 22, 7, 1), None),
        ((1024, 1024, 3, 1), None),
    ],
)
def test_the_form_follows_from_the_sizes(sizes: tuple[int, int, int, int], form: MinimalFilter | None) -> None:
    in_channels, out_channels, taps, stride = sizes
    assert form_for(Correlation(in_channels, out_channels, taps, stride=stride)) == form
