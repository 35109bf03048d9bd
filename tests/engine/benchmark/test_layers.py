import json

import pytest

from engine.benchmark.job import Length
from engine.benchmark.layers import LayerTime, LayerTimes, to_dict, to_text
from engine.compiler.convolution_layers import ConvolutionLayer

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


def test_each_manner_has_its_share_of_the_peak():
    groups = to_dict("starter", LENGTH, TIMES)["groups"]
    assert groups["direct"]["share_of_peak"] == pytest.approx(2 * 256 * 128 * 12 * 1000 / 0.01 / 100e9)
    assert groups["direct"]["median_share_of_peak"] == pytest.approx(0.8 * groups["direct"]["share_of_peak"])
    assert groups["filtered"]["least_seconds"] == pytest.approx(0.002)
    assert groups["filtered"]["flop"] == 2 * 2 * 128 * 128 * 7 * 1000


def test_a_manner_that_is_not_used_is_left_out():
    assert list(to_dict("starter", LENGTH, LayerTimes(TIMES.layers[1:], 1e9))["groups"]) == ["direct"]


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
