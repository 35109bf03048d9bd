from __future__ import annotations

import json

import pytest

from engine.benchmark.estimate.counting import estimate_metal
from engine.benchmark.estimate.report import COUNTED, to_dict, to_text
from engine.benchmark.estimate.roofline import (
    ASSUMPTIONS,
    CHIPS,
    CONVOLUTION_SHARE,
    CORE_BYTES,
    DECODER,
    LABEL,
    LAUNCH_MICROSECONDS,
    MEMORY_SHARE,
    PRODUCT_SHARE,
    Bound,
    Family,
    FamilyWork,
    Resource,
    StageWork,
    bound_by,
    family_seconds,
)
from engine.models.checkpoints import model_config
from tests.engine.benchmark.estimate.example_work import estimate

M1, M2, M2_ULTRA, M4_PRO = CHIPS
SECONDS = 5.0
MAX_DISPATCHES = {
    "bert": 93,
    "duration": 16,
    "f0n": 50,
    "text_encoder": 18,
    "source": 3,
    "decoder": 172,
    "istft": 2,
}


def work(family: Family = Family.OTHERS, dispatches: int = 0, **counts: float) -> FamilyWork:
    return FamilyWork(family, dispatches, **{"needed_flop": 0.0, "flop": 0.0, "bytes": 0.0, **counts})


def test_the_chips_are_as_published():
    for chip, tflop in ((M1, 2.6), (M2, 3.6), (M2_ULTRA, 21.5)):
        assert chip.flop_per_second == pytest.approx(tflop * 1e12, rel=0.01)
    assert all(chip.source for chip in CHIPS)
    assert all(assumption.meaning and assumption.source for assumption in ASSUMPTIONS)


@pytest.mark.parametrize("family", list(Family))
def test_the_roofline_bound_is_fastest_and_the_slow_bound_is_slowest(family):
    kernels = work(family, 3, flop=1e10, bytes=1e8, core_bytes=1e6)
    for chip in CHIPS:
        roofline, fast, slow = (family_seconds(kernels, chip, end) for end in Bound)
        assert roofline < fast < slow


@pytest.mark.parametrize(
    ("family", "share"), [(Family.CONVOLUTIONS, CONVOLUTION_SHARE), (Family.PRODUCTS, PRODUCT_SHARE)]
)
def test_arithmetic_takes_published_shares_of_the_peak(family, share):
    busy = work(family, flop=M1.flop_per_second)
    assert family_seconds(busy, M1, Bound.ROOFLINE) == pytest.approx(1)
    assert family_seconds(busy, M1, Bound.FAST) == pytest.approx(1 / share.fast)
    assert family_seconds(busy, M1, Bound.SLOW) == pytest.approx(1 / share.slow)


def test_memory_traffic_and_launches_take_their_time():
    copies = work(dispatches=1000, bytes=68.3e9)
    assert family_seconds(copies, M1, Bound.ROOFLINE) == pytest.approx(1)
    expected = 1 / MEMORY_SHARE.slow + LAUNCH_MICROSECONDS.slow * 1e-3
    assert family_seconds(copies, M1, Bound.SLOW) == pytest.approx(expected)


def test_a_recurrence_takes_as_long_on_a_chip_of_many_cores():
    """1 MB of weights at each of 100 steps."""
    recurrence = work(Family.RECURRENCES, core_bytes=100 * 2**20)
    for chip in (M1, M2_ULTRA):
        expected = 100 * 2**20 / CORE_BYTES.fast / (chip.clock_ghz * 1e9)
        assert family_seconds(recurrence, chip, Bound.FAST) == pytest.approx(expected)


def test_a_stage_is_bound_by_the_resource_that_takes_most_time():
    by_name = {stage.stage: stage for stage in estimate().stages}
    assert bound_by(by_name["decoder"], M2_ULTRA) is Resource.ARITHMETIC
    assert bound_by(by_name["bert"], M1) is Resource.MEMORY
    assert bound_by(StageWork("one", (work(dispatches=1, bytes=8),)), M1) is Resource.LAUNCH


@pytest.fixture(scope="module")
def full_size():
    seen = []
    made = estimate_metal("kokoro-82m", model_config("kokoro-82m"), SECONDS, seen.append)
    assert seen == [stage.stage for stage in made.stages]
    return made


@pytest.mark.parametrize("chip", [M1, M2, M2_ULTRA], ids=lambda chip: chip.name)
def test_the_slow_end_of_the_band_is_at_or_below_the_record(full_size, chip):
    assert full_size.milliseconds_per_second(chip, Bound.SLOW) <= full_size.record(chip)


def test_an_utterance_takes_no_more_dispatches_than_it_did(full_size):
    dispatches = {stage.stage: stage.dispatches for stage in full_size.stages}
    assert all(dispatches[name] <= most for name, most in MAX_DISPATCHES.items()), dispatches


def test_the_decoder_executes_far_less_than_its_sums_need_directly(full_size):
    decoder = next(stage for stage in full_size.stages if stage.stage == DECODER)
    needed = decoder.total(lambda one: one.needed_flop)
    assert decoder.total(lambda one: one.flop) <= 0.5 * needed
    assert needed / SECONDS == pytest.approx(52e9, rel=0.02)


FIRST_CHIP = CHIPS[0]


def blocks(value):
    """Yield every object in the data, at any depth."""
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
    for end in Bound:
        of_all = first["milliseconds_per_audio_second"][end]
        assert of_all == pytest.approx(made.milliseconds_per_second(FIRST_CHIP, end))
        of_stages = [stage["milliseconds_per_audio_second"][end] for stage in first["stages"]]
        assert sum(of_stages) == pytest.approx(of_all)


def test_the_record_stands_beside_the_slow_end():
    first = to_dict(estimate())["chips"][0]
    assert first["record_milliseconds_per_audio_second"] == 70.7
    assert first["slow_end_as_share_of_record"] == pytest.approx(first["milliseconds_per_audio_second"]["slow"] / 70.7)
    assert first["record_share_of_peak"] == pytest.approx(2e11 / 2 / (0.0707 * FIRST_CHIP.flop_per_second))
    assert to_dict(estimate("starter"))["chips"][0]["record_share_of_peak"] is None
    assert "70.7" in to_text(estimate())
    assert "70.7" not in to_text(estimate("starter"))


def test_every_assumption_is_printed_with_its_source():
    words, data = to_text(estimate()), to_dict(estimate())
    assert len(data["assumed_ranges"]) == len(ASSUMPTIONS)
    for assumed in data["assumed_ranges"]:
        assert f"{assumed['meaning']}; {assumed['source']}" in words


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
