import pytest

from engine.compiler.build import weightless_modules
from engine.compiler.export import trace
from engine.compiler.useful_work import useful_flop
from engine.stages import stage_named

LENGTHS = {"tokens": 7, "frames": 20}


@pytest.fixture(scope="module")
def needed(tiny_config):
    stage = stage_named("f0n")
    program = trace(stage, weightless_modules(tiny_config)[stage.name], tiny_config)
    shapes = [tensor.shape(tiny_config, 3, LENGTHS) for tensor in stage.inputs]
    return useful_flop(program, shapes), dict(program.state_dict)


def test_every_weight_is_used_once_per_position(needed):
    flop, weights = needed
    frames = 3 * LENGTHS["frames"]
    at_positions = {
        "predictor.shared.weight_ih_l0": frames,  # an LSTM: every step
        "predictor.shared.weight_hh_l0_reverse": frames,
        "predictor.F0.0.conv1.weight": frames,  # a convolution: every output
        "predictor.F0.1.conv2.weight": 2 * frames,  # after the upsampling
        "predictor.F0.1.pool.weight": frames,  # transposed: every input
        "predictor.N.0.norm1.fc.weight": 3,  # a linear layer: every row
    }
    for name, positions in at_positions.items():
        assert flop[name] == 2 * weights[name].numel() * positions, name


def test_biases_and_norms_are_not_products(needed):
    flop, _ = needed
    assert not [name for name in flop if name.endswith("bias") or ".norm1.norm." in name]
