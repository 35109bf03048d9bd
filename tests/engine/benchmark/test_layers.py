import itertools
import json

import numpy as np
import pytest

from engine.benchmark.estimate.counting import RunSizes
from engine.benchmark.job import Length
from engine.benchmark.layer_timing import TURN_SECONDS, LayerMeter, is_direct, layer_times
from engine.benchmark.layers import LayerTime, LayerTimes, to_dict, to_text
from engine.benchmark.peak import PeakMeter, multiply_adds
from engine.compiler.convolution_layers import ConvolutionLayer
from engine.stages import stage_named
from tests.engine.compiler.kernels.cpu.running import NARROW, host, host_microkernel

LENGTH = Length(400, 133, 10.0)
BY_WINOGRAD = ConvolutionLayer(128, 128, 7, 1, 3, 1, is_transposed=False, length=1000)
TRANSPOSED = ConvolutionLayer(256, 128, 12, 6, 3, 1, is_transposed=True, length=1000)
TIMES = LayerTimes(
    (
        LayerTime("decoder", BY_WINOGRAD, 2, False, least_seconds=0.001, median_seconds=0.002),
        LayerTime("decoder", TRANSPOSED, 1, True, least_seconds=0.01, median_seconds=0.0125),
    ),
    peak_flop_per_second=100e9,
)


def test_each_layer_group_has_its_share_of_the_peak():
    groups = to_dict("starter", LENGTH, TIMES)["groups"]
    assert groups["direct"]["share_of_peak"] == pytest.approx(2 * 256 * 128 * 12 * 1000 / 0.01 / 100e9)
    assert groups["direct"]["median_share_of_peak"] == pytest.approx(0.8 * groups["direct"]["share_of_peak"])
    assert groups["filtered"]["least_seconds"] == pytest.approx(0.002)
    assert groups["filtered"]["flop"] == 2 * 2 * 128 * 128 * 7 * 1000


def test_all_figures_can_be_written():
    data = json.loads(json.dumps(to_dict("starter", LENGTH, TIMES)))
    assert [layer["count"] for layer in data["layers"]] == [2, 1]
    assert data["layers"][1]["layer"]["kernel_size"] == 12
    assert data["layers"][1]["layer"]["careful"] is False


def test_the_longest_come_first_and_the_sums_last():
    _, peak, heading, first, second, direct, winograd, how = to_text("starter", LENGTH, TIMES).splitlines()
    assert "100 GFLOP/s" in peak
    assert first.split() == ["decoder", "256", "to", "128", "12T", "direct", "1", "10.00", "79%", "63%"]
    assert second.split()[4:] == ["7", "Winograd", "2", "2.00", "229%", "115%"]
    assert direct.split() == ["all", "direct", "10.00", "79%", "63%"]
    assert winograd.split()[:2] == ["all", "Winograd"]
    assert len({len(line) for line in (heading, first, second, direct, winograd)}) == 1
    assert "by itself" in how


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
def test_convolutions_computed_by_winograd_are_not_direct(changed, expected):
    assert is_direct(layer(**changed), host_microkernel()) == expected


def test_a_turn_fills_its_time_and_reports_minimum_and_median():
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
    times = layer_times(stages, RunSizes(tiny_config, 1, {"tokens": 7, "frames": 20}), 1, 2, heard.append)
    assert {timed.stage for timed in times.layers} == {"text_encoder"}
    assert all(0 < timed.least_seconds <= timed.median_seconds for timed in times.layers)
    assert heard[-1] == "Round 2 of 2"


CHUNKS = 2


@pytest.mark.parametrize("microkernel", [host_microkernel(), *NARROW])
def test_every_sum_is_multiplied_and_added_to_so_often(microkernel):
    kernel = multiply_adds(microkernel, CHUNKS)
    shape = CHUNKS, microkernel.rows * microkernel.columns // microkernel.lanes, microkernel.lanes
    sums = np.zeros(shape, np.float32)
    run_on(kernel, sums, steps=3)
    np.testing.assert_array_equal(sums, np.full(shape, 0.875))


def run_on(kernel, sums, steps):
    import tvm

    from engine.compiler.targets import host_cpu

    held = tvm.runtime.tensor(sums)
    run = tvm.compile(tvm.IRModule({"main": kernel}), target=host_cpu())["main"]
    run(tvm.runtime.tensor(np.full(2, 0.5, np.float32)), held, steps)
    sums[...] = held.numpy()


def test_a_peak_is_measured():
    assert PeakMeter(1).flop_per_second(steps=1000) > 1e7
