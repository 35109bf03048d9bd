from __future__ import annotations

import json

import pytest

from engine.benchmark.estimate.report import COUNTED, to_dict, to_text
from engine.benchmark.estimate.roofline import ASSUMPTIONS, CHIPS, LABEL, End
from tests.engine.benchmark.estimate.example_work import estimate

M1 = CHIPS[0]


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
        if "milliseconds_per_audio_second" in block or "stages" in block:
            assert block["basis"] in (LABEL, COUNTED)


def test_times_are_per_second_of_audio():
    made = estimate()
    first = to_dict(made)["chips"][0]
    for end in End:
        of_all = first["milliseconds_per_audio_second"][end]
        assert of_all == pytest.approx(made.milliseconds_per_second(M1, end))
        of_stages = [stage["milliseconds_per_audio_second"][end] for stage in first["stages"]]
        assert sum(of_stages) == pytest.approx(of_all)


def test_the_record_stands_beside_the_slow_end():
    first = to_dict(estimate())["chips"][0]
    assert first["record_milliseconds_per_audio_second"] == 70.7
    assert first["slow_end_as_share_of_record"] == pytest.approx(first["milliseconds_per_audio_second"]["slow"] / 70.7)
    assert first["record_share_of_peak"] == pytest.approx(2e11 / 2 / (0.0707 * M1.flop_per_second))
    assert to_dict(estimate("starter"))["chips"][0]["record_share_of_peak"] is None
    assert "70.7" in to_text(estimate())
    assert "70.7" not in to_text(estimate("starter"))


def test_every_assumption_is_printed_with_its_source():
    words, data = to_text(estimate()), to_dict(estimate())
    assert len(data["assumed_ranges"]) == len(ASSUMPTIONS)
    for assumed in data["assumed_ranges"]:
        assert f"{assumed['meaning']}; {assumed['source']}" in words


def test_a_band_goes_from_its_fast_to_its_slow_end():
    made = estimate()
    fast, slow = (made.milliseconds_per_second(M1, end) for end in (End.FAST, End.SLOW))
    assert f"{fast:.2f} - {slow:.2f}" in to_text(made)


def test_counts_are_there_per_stage_and_family():
    counts = to_dict(estimate())["counts"]
    decoder = next(stage for stage in counts["stages"] if stage["stage"] == "decoder")
    assert decoder["dispatches"] == 2
    assert decoder["flop_per_audio_second"] == pytest.approx(5e10)
    assert [family["family"] for family in decoder["families"]] == ["convolutions", "all else"]
    assert counts["dispatches"] == len(counts["stages"]) + 1


def test_every_heading_of_figures_says_that_nothing_was_measured():
    lines = to_text(estimate()).splitlines()
    headings = [line for line in lines if line and not line.startswith((" ", "(", "Record", "Chips"))]
    assert len(headings) > 5
    assert all("not measured" in heading for heading in headings)
