from collections import defaultdict

import pytest

from engine.estimate.chips import M1, M2, M2_ULTRA, record_of
from engine.estimate.lengths import Length
from engine.estimate.report import milliseconds_per_second
from engine.estimate.roofline import Resource
from engine.estimate.utterance_estimate import DECODER, ChipEstimate, TimedKernel, estimate_metal, timed
from engine.estimate.work import StageWork
from engine.model_store.checkpoints import model_config
from tests.engine.estimate.example_work import estimate, kernel

SECONDS = 5.0
MOST_WASTE = 1.6
"""Executed over useful operations; above it, a kernel is wasteful."""
LEAST_SHARE = 0.01
"""Share of the time; kernels that take less may waste."""
MOST_DISPATCHES = 400
MOST_DISPATCHES_OF_STAGES = {
    "bert": 93,
    "duration": 16,
    "f0n": 50,
    "text_encoder": 18,
    "source": 3,
    "decoder": 172,
    "istft": 2,
}


def wasteful(chip: ChipEstimate) -> list[TimedKernel]:
    total = chip.seconds(lambda time: time.slow_seconds)
    shares: defaultdict[tuple[str, str], float] = defaultdict(float)
    for each in chip.kernels:
        shares[each.stage, each.kernel.name] += each.time.slow_seconds / total
    return [
        each
        for each in chip.kernels
        if (each.kernel.waste or 0) > MOST_WASTE and shares[each.stage, each.kernel.name] > LEAST_SHARE
    ]


@pytest.fixture(scope="module")
def full_size():
    seen = []
    made = estimate_metal("kokoro-82m", model_config("kokoro-82m"), SECONDS, seen.append)
    assert seen == [stage.stage for stage in made.stages]
    return made


@pytest.mark.parametrize("chip", [M1, M2, M2_ULTRA], ids=lambda chip: chip.name)
def test_the_slow_end_of_the_band_is_at_or_below_the_record(full_size, chip):
    (on_chip,) = (made for made in full_size.chips if made.chip == chip)
    record = record_of("kokoro-82m", chip)
    assert milliseconds_per_second(full_size, on_chip, "fast") < milliseconds_per_second(full_size, on_chip, "slow")
    assert milliseconds_per_second(full_size, on_chip, "slow") <= record


def test_no_kernel_multiplies_with_padding_or_with_zeros_between_values(full_size):
    for chip in full_size.chips:
        names = {(timed.stage, timed.kernel.name, timed.kernel.waste) for timed in wasteful(chip)}
        assert not names, chip.chip.name


def test_an_utterance_takes_no_more_dispatches_than_it_did(full_size):
    dispatches = {stage.stage: len(stage.kernels) for stage in full_size.stages}
    assert all(dispatches[name] <= most for name, most in MOST_DISPATCHES_OF_STAGES.items()), dispatches
    assert sum(dispatches.values()) == full_size.dispatches <= MOST_DISPATCHES


def test_the_decoder_executes_far_less_than_its_sums_need_directly(full_size):
    decoder = next(stage for stage in full_size.stages if stage.stage == DECODER)
    executed = sum(kernel.work.flop for kernel in decoder.kernels)
    assert executed <= 0.5 * decoder.useful_flop
    assert decoder.useful_flop / SECONDS == pytest.approx(52e9, rel=0.02)


def test_wasteful_kernels_that_take_time_are_found():
    bad = kernel("conv_transpose1d", flop=1e12, operations=5e11, useful_flop=1e11)
    rare = kernel("linear", flop=1e6, operations=5e5, useful_flop=1e5)
    made = timed("kokoro-82m", Length(40, 13, 1.0), [StageWork("decoder", (bad, rare), 1.1e11)])
    assert {timed.kernel.name for timed in wasteful(made.chips[0])} == {"conv_transpose1d"}


def test_a_stage_is_bound_by_what_takes_most_of_its_time():
    made = estimate()
    assert made.chips[0].bound_by("decoder") is Resource.INSTRUCTIONS
    assert made.chips[0].bound_by("bert") is Resource.MEMORY
    assert made.dispatches == len(made.stages) + 1


def test_the_record_comes_to_a_share_of_the_peak():
    made = estimate()
    assert made.record_share_of_peak(M1) == pytest.approx(made.useful_flop / 2 / (0.0707 * M1.flop_per_second))
    assert estimate("starter").record_share_of_peak(M1) is None
