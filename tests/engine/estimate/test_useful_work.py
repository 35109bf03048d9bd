import pytest
import torch

from engine.compiler.build import weightless_modules
from engine.compiler.export import trace
from engine.estimate.useful_work import useful_flop
from engine.stages import TOKENS, Place, Size, Stage, Tensor, stage_named

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


def test_joined_weights_count_for_each_part(tiny_config):
    channels = tiny_config.hidden_dim

    class Joined(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Parameter(torch.zeros(6, channels))
            self.second = torch.nn.Parameter(torch.zeros(2, channels))

        def forward(self, x):
            return torch.nn.functional.linear(x, torch.cat([self.first, self.second]))

    stage = Stage("probe", "Probe", Place.DEVICE, (Tensor("x", (TOKENS, Size("hidden_dim"))),), ())
    program = trace(stage, Joined(), tiny_config)
    flop = useful_flop(program, [(3, 5, channels)])
    assert flop == {"first": 2 * 6 * channels * 15, "second": 2 * 2 * channels * 15}
