import itertools

import pytest

from engine.benchmark.estimate.counting import Run
from engine.benchmark.layer_timing import TURN_SECONDS, LayerMeter, is_direct, layer_times
from engine.compiler.convolution_layers import ConvolutionLayer
from engine.stages import stage_named
from tests.engine.kernels.cpu.running import host, host_microkernel

SMALL = ConvolutionLayer(32, 32, 3, 1, 1, 1, is_transposed=False, length=50)


def layer(**different):
    return ConvolutionLayer(**{**SMALL.__dict__, **different})


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, False),
        ({"stride": 2}, True),
        ({"channels": 4}, True),
        ({"is_transposed": True, "kernel_size": 6, "stride": 3}, False),
        ({"is_transposed": True, "kernel_size": 3, "stride": 3}, True),
    ],
)
def test_what_winograd_computes_is_not_direct(changed, expected):
    assert is_direct(layer(**changed), host_microkernel()) == expected


def test_a_turn_goes_on_until_its_time_is_up_and_the_least_and_the_middle_count():
    each = TURN_SECONDS / 2
    readings = itertools.accumulate([0, *[0, 0.9 * each, 0, 1.0 * each, 0, 3.0 * each]])
    meter = LayerMeter(host(), 1, lambda: next(readings))
    meter.add("decoder", SMALL, 4)
    meter.measure()
    times = meter.times()
    (timed,) = times.layers
    assert (timed.stage, timed.layer, timed.count, timed.is_direct) == ("decoder", SMALL, 4, False)
    assert timed.least_seconds == pytest.approx(0.9 * each)
    assert timed.median_seconds == pytest.approx(1.0 * each)
    assert times.peak_flop_per_second > 1e8
    assert next(readings, None) is None


def test_all_convolutions_of_the_stages_are_timed(tiny_config):
    heard = []
    stages = [stage_named("text_encoder"), stage_named("bert")]
    times = layer_times(stages, Run(tiny_config, 1, {"tokens": 7, "frames": 20}), 1, 2, heard.append)
    assert {timed.stage for timed in times.layers} == {"text_encoder"}
    assert all(0 < timed.least_seconds <= timed.median_seconds for timed in times.layers)
    assert heard[-1] == "Round 2 of 2"
