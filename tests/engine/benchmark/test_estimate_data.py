import json

import pytest

from engine.benchmark.estimate import LABEL
from engine.benchmark.estimate_data import COUNTED, as_data, milliseconds_per_second
from tests.engine.benchmark.example_work import estimate


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
    data = json.loads(json.dumps(as_data(estimate())))
    assert data["basis"] == LABEL
    for block in blocks(data):
        if "milliseconds_per_audio_second" in block or "dispatches" in block:
            assert block["basis"] in (LABEL, COUNTED)


def test_times_are_per_second_of_audio():
    made = estimate()
    data = as_data(made)
    (first,) = (chip for chip in data["chips"] if chip["name"] == "M1")
    assert first["milliseconds_per_audio_second"]["estimate"] == pytest.approx(
        milliseconds_per_second(made, made.chips[0], "estimate")
    )
    assert first["record_milliseconds_per_audio_second"] == 70.7
    of_stages = [stage["milliseconds_per_audio_second"]["estimate"] for stage in first["stages"]]
    assert sum(of_stages) == pytest.approx(first["milliseconds_per_audio_second"]["estimate"])


def test_counts_are_there_per_kernel_and_stage():
    counts = as_data(estimate())["counts"]
    decoder = next(stage for stage in counts["stages"] if stage["stage"] == "decoder")
    assert decoder["dispatches"] == 2
    assert decoder["flop_per_audio_second"] == pytest.approx(5e10)
    assert decoder["kernels"][0]["waste"] == pytest.approx(1)
