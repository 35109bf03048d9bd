import pytest

from engine.benchmark.estimate.counting import products
from engine.benchmark.estimate.roofline import Family
from engine.compiler.build import weightless_modules
from engine.compiler.convolution_layers import ConvolutionLayer, convolution_layers
from engine.compiler.export import trace
from engine.stages import stage_named

LENGTHS = {"tokens": 7, "frames": 20}


def traced(stage_name, config):
    """A stage's graph and the shapes of its inputs: what its convolutions are found from."""
    stage = stage_named(stage_name)
    program = trace(stage, weightless_modules(config)[stage_name], config)
    return program, [tensor.shape(config, 1, LENGTHS) for tensor in stage.inputs]


@pytest.mark.parametrize("stage_name", ["text_encoder", "f0n", "decoder"])
def test_together_they_need_what_the_weights_of_convolutions_need(tiny_config, stage_name):
    program, shapes = traced(stage_name, tiny_config)
    layers = convolution_layers(program, shapes)
    depthwise = [weight for name, weight in program.state_dict.items() if name.endswith("pool.weight")]
    apart = sum(2 * weight.numel() * LENGTHS["frames"] for weight in depthwise)
    of_layers = sum(layer.flop * count for layer, count in layers.items())
    assert of_layers + apart == products(program, shapes)[Family.CONVOLUTIONS]


def test_every_kind_is_told_apart(tiny_config):
    layers = convolution_layers(*traced("decoder", tiny_config))
    assert {layer.is_transposed for layer in layers} == {False, True}
    assert {layer.dilation for layer in layers} == {1, 3, 5}
    assert max(layer.stride for layer in layers if not layer.is_transposed) > 1
    assert max(layers.values()) > 1


def test_a_multiplication_and_an_addition_count_per_weight_and_output():
    layer = ConvolutionLayer(3, 5, 4, stride=2, padding=1, dilation=3, is_transposed=False, length=20)
    assert layer.flop == 2 * 3 * 5 * 4 * 7


def test_a_transposed_one_uses_every_weight_at_every_input():
    layer = ConvolutionLayer(3, 5, 4, stride=2, padding=1, dilation=1, is_transposed=True, length=20)
    assert layer.flop == 2 * 3 * 5 * 4 * 20
