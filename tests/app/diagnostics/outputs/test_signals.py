import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.diagnostics.outputs.pictures import envelope

RATE_HZ = 24_000
LINES = 128


@given(st.integers(0, 500), st.integers(-20, 520), st.integers(-20, 520), st.integers(1, 80))
def test_every_value_lies_inside(length: int, start: int, end: int, columns: int) -> None:
    signal = np.random.default_rng(length).standard_normal(length).astype(np.float32)
    found = envelope(signal, start, end, columns)
    assert len(found.lowest) == len(found.highest) == len(found.edges) - 1 <= columns
    assert np.all(np.diff(found.edges) > 0)
    for low, high, first, last in zip(found.lowest, found.highest, found.edges, found.edges[1:], strict=False):
        assert low == signal[first:last].min()
        assert high == signal[first:last].max()
    covered = max(min(end, length) - max(start, 0), 0)
    assert found.edges[-1] - found.edges[0] == covered


def test_few_values_are_left_as_they_are() -> None:
    signal = np.array([3.0, -1.0, 2.0])
    found = envelope(signal, 0, 3, 100)
    assert found.lowest.tolist() == found.highest.tolist() == signal.tolist()


def test_the_signal_is_not_copied_whole() -> None:
    signal = np.zeros(10, np.float32)
    signal.flags.writeable = False
    assert envelope(signal, 2, 8, 3).edges.tolist() == [2, 4, 6, 8]
