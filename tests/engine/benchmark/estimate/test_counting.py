"""Tests of the counted work of stages; tests on the software device show that as many kernels are launched."""

import pytest
import torch

from engine.benchmark.estimate.counting import CountedStage, RunSizes, count_for_metal, needed_flop, products
from engine.benchmark.estimate.roofline import Family
from engine.compiler.export import trace
from engine.network.ops.torch_ops import lstm_forward_packed_bidirectional
from engine.stages import TOKENS, Size, Stage, StagePlace, Tensor, stage_named

BATCH, TIME = 3, 5


@pytest.fixture(scope="module")
def run(tiny_config):
    return RunSizes(tiny_config, 1, {"tokens": 12, "frames": 3})


@pytest.fixture(scope="module")
def text_encoder(run):
    """The work of a stage that has kernels of all families."""
    (work,) = count_for_metal([stage_named("text_encoder")], run)
    return work


def products_of(module, config):
    """Return the products of a module that takes x [batch, tokens, channels]."""
    stage = Stage("probe", "Probe", StagePlace.DEVICE, (Tensor("x", (TOKENS, Size("hidden_dim"))),), ())
    return products(trace(stage, module, config), [(BATCH, TIME, config.hidden_dim)])


class Multiplied(torch.nn.Module):
    """One operation with weights of these shapes."""

    def __init__(self, operation, *shapes):
        super().__init__()
        self._operation = operation
        self._weights = torch.nn.ParameterList([torch.zeros(shape) for shape in shapes])

    def forward(self, x):
        return self._operation(x, *self._weights)


def test_every_weight_of_a_layer_is_used_once_per_position(tiny_config):
    channels = tiny_config.hidden_dim

    def convolution(x, weight):
        return torch.nn.functional.conv1d(x.mT, weight, padding=1)

    def upsampling(x, weight):
        return torch.nn.functional.conv_transpose1d(x.mT, weight, stride=2)

    found = products_of(Multiplied(convolution, (4, channels, 3)), tiny_config)
    assert found == {Family.CONVOLUTIONS: 2 * 4 * channels * 3 * BATCH * TIME}
    found = products_of(Multiplied(upsampling, (channels, 4, 2)), tiny_config)
    assert found == {Family.CONVOLUTIONS: 2 * 4 * channels * 2 * BATCH * TIME}
    found = products_of(Multiplied(torch.nn.functional.linear, (6, channels), (6,)), tiny_config)
    assert found == {Family.PRODUCTS: 2 * 6 * channels * BATCH * TIME}


def test_an_lstm_multiplies_its_input_in_one_product_and_its_state_stepwise(tiny_config):
    channels, hidden = tiny_config.hidden_dim, 7

    def lstm(x, *weights):
        lengths = torch.ones(x.shape[0], dtype=torch.int32)
        return lstm_forward_packed_bidirectional(x, lengths, *weights)

    shapes = 2 * ((4 * hidden, channels), (4 * hidden, hidden), (4 * hidden,))
    found = products_of(Multiplied(lstm, *shapes), tiny_config)
    both_directions = 2 * 2 * 4 * hidden * BATCH * TIME
    assert found == {Family.PRODUCTS: both_directions * channels, Family.RECURRENCES: both_directions * hidden}


def test_only_recurrences_load_step_by_step(text_encoder):
    assert {one.family for one in text_encoder.families} == set(Family)
    assert {one.family for one in text_encoder.families if one.core_bytes} == {Family.RECURRENCES}


def test_bytes_are_those_of_the_buffers(tiny_config, run):
    """A copy reads and writes every element once."""
    stage = Stage("probe", "Probe", StagePlace.DEVICE, (Tensor("x", (TOKENS, Size("hidden_dim"))),), ())
    program = trace(stage, Multiplied(lambda x: x.transpose(1, 2).contiguous()), tiny_config)
    (copies,) = CountedStage(stage, program).work(run).families
    assert (copies.family, copies.dispatches) == (Family.OTHERS, 1)
    assert copies.bytes == 2 * 4 * 12 * tiny_config.hidden_dim


def test_winograd_multiplies_less_often_than_is_needed(text_encoder):
    for one in text_encoder.families:
        assert (one.flop < one.needed_flop) == (one.family is Family.CONVOLUTIONS)


def test_needed_flop_grow_with_the_length(tiny_config, run, text_encoder):
    stage = stage_named("text_encoder")
    twice = RunSizes(tiny_config, 1, {name: 2 * length for name, length in run.lengths.items()})
    needed, doubled = needed_flop([stage], [run, twice])
    assert needed == {stage.name: pytest.approx(text_encoder.total(lambda one: one.needed_flop))}
    assert doubled[stage.name] == pytest.approx(2 * needed[stage.name])
    assert needed_flop([stage], []) == []
