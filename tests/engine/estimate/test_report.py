from __future__ import annotations

import json

import pytest

from engine.estimate.chips import ASSUMPTIONS, RANGES
from engine.estimate.report import COUNTED, milliseconds_per_second, to_dict, to_text
from engine.estimate.utterance_estimate import LABEL
from tests.engine.estimate.example_work import estimate


def blocks(value):
    """Every object in the data, however deep."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from blocks(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from blocks(inner)


def test_every_block_of_times_says_that_it_was_estimated():
    data = json.loads(json.dumps(to_dict(estimate())))
    assert data["basis"] == LABEL
    for block in blocks(data):
        if "milliseconds_per_audio_second" in block or "dispatches" in block:
            assert block["basis"] in (LABEL, COUNTED)


def test_times_are_per_second_of_audio():
    made = estimate()
    data = to_dict(made)
    (first,) = (chip for chip in data["chips"] if chip["name"] == "M1")
    for end in ("fast", "slow"):
        of_all = first["milliseconds_per_audio_second"][end]
        assert of_all == pytest.approx(milliseconds_per_second(made, made.chips[0], end))
        of_stages = [stage["milliseconds_per_audio_second"][end] for stage in first["stages"]]
        assert sum(of_stages) == pytest.approx(of_all)
    assert first["record_milliseconds_per_audio_second"] == 70.7
    assert first["slow_end_as_share_of_record"] == pytest.approx(first["milliseconds_per_audio_second"]["slow"] / 70.7)


def test_every_assumption_is_printed_with_its_source():
    words, data = to_text(estimate()), to_dict(estimate())
    assert len(data["assumed_ranges"]) == len(RANGES)
    assert len(data["assumptions"]) == len(ASSUMPTIONS)
    for assumed in (*data["assumed_ranges"], *data["assumptions"]):
        assert f"{assumed['meaning']}; {assumed['source']}" in words


def test_a_band_goes_from_its_fast_to_its_slow_end():
    made = estimate()
    fast, slow = (milliseconds_per_second(made, made.chips[0], end) for end in ("fast", "slow"))
    assert fast < slow
    assert f"{fast:.2f} - {slow:.2f}" in to_text(made)


def test_counts_are_there_per_kernel_and_stage():
    counts = to_dict(estimate())["counts"]
    decoder = next(stage for stage in counts["stages"] if stage["stage"] == "decoder")
    assert decoder["dispatches"] == 2
    assert decoder["flop_per_audio_second"] == pytest.approx(5e10)
    assert decoder["kernels"][0]["waste"] == pytest.approx(1)


def test_every_heading_of_figures_says_that_nothing_was_measured():
    lines = to_text(estimate()).splitlines()
    headings = [line for line in lines if line and not line.startswith((" ", "(", "Record", "Chips"))]
    assert len(headings) > 5
    assert all("not measured" in heading for heading in headings)
    assert any(LABEL in heading for heading in headings)


def test_chips_stand_beside_the_records():
    words = to_text(estimate())
    assert "70.7" in words
    assert "13.7" in words
    assert "70.7" not in to_text(estimate("starter"))


def test_longest_kernels_come_first():
    lines = to_text(estimate()).splitlines()
    kernels = [line for line in lines if "conv1d" in line or "copy" in line]
    assert "decoder: conv1d" in kernels[0]
    assert "waste 1.00" in kernels[0]
