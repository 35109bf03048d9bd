from engine.benchmark.estimate import LABEL
from engine.benchmark.estimate_words import in_words
from tests.engine.benchmark.example_work import estimate


def test_every_heading_of_figures_says_that_nothing_was_measured():
    lines = in_words(estimate()).splitlines()
    headings = [line for line in lines if line and not line.startswith((" ", "(", "Record", "Chips"))]
    assert len(headings) > 5
    assert all("not measured" in heading for heading in headings)
    assert any(LABEL in heading for heading in headings)


def test_chips_stand_beside_the_records():
    words = in_words(estimate())
    assert "70.7" in words
    assert "13.7" in words
    assert "70.7" not in in_words(estimate("starter"))


def test_longest_kernels_come_first():
    lines = in_words(estimate()).splitlines()
    kernels = [line for line in lines if "conv1d" in line or "copy" in line]
    assert "decoder: conv1d" in kernels[0]
    assert "waste 1.00" in kernels[0]
