"""Seeded random weights for any architecture, with realistic durations and pitch, and a network with given weights."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import remove_weight_norm

from engine.config import FRAMES_PER_TOKEN, ModelConfig
from engine.network.architecture import Network, build_network
from engine.network.exportable import exportable_stages
from engine.network.weights import Weights, folded

"""The middle of the 2 to 4 frames that tokens last in speech."""
DURATION_SPREAD = 0.2
"""The standard deviation of the duration logits; nearly all tokens then last 2 to 4 frames."""
PITCH_HZ, PITCH_SPREAD_HZ = 100.0, 50.0
"""Some frames are below the pitch threshold of voicing."""
ENERGY, ENERGY_SPREAD = 2.0, 1.0
FORGET_BIAS = 1.0
"""From Jozefowicz, Zaremba and Sutskever (2015), who found that LSTMs with this bias learn long memories."""
STYLE_SCALE = 0.1
"""The size of typical entries of Kokoro's voices."""
SAMPLE_TOKENS = (2, 5, 17, 30, 60, 120)
"""Lengths of the random utterances that calibrate the heads."""


def random_weights(config: ModelConfig, seed: int) -> Weights:
    """Random float32 weights by folded state-dict key, equal for equal seeds.

    The LSTMs remember for some steps, and the heads for duration, pitch and energy are calibrated so that their outputs
    resemble those of speech.
    """
    with _seeded(seed):
        network = without_weight_norm(build_network(config))
        with torch.no_grad():
            _set_memories(network)
            _set_heads(network)
    return folded({name: tensor.numpy() for name, tensor in network.state_dict().items()})


def network_with(config: ModelConfig, weights: Weights) -> Network:
    """A network without weight norm that holds these weights.

    Raises `RuntimeError` when the weights are a different architecture's.
    """
    with _seeded(0):
        network = without_weight_norm(build_network(config))
    network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    network.requires_grad_(False)
    return network


def without_weight_norm(network: Network) -> Network:
    """Fold each weight norm of the network into its weight, in place; returns the network."""
    for module in network.modules():
        if hasattr(module, "weight_g"):
            remove_weight_norm(module)
    return network


def _set_memories(network: Network) -> None:
    """Open the forget gates of all LSTMs, the second quarter of their biases, as in trained ones.

    With torch's own random biases an LSTM forgets within a few steps, and the effect of leaking padding hardly shows.
    """
    for module in network.modules():
        if isinstance(module, nn.LSTM):
            biases: Any = module.bias_ih_l0, module.bias_ih_l0_reverse
            for bias in biases:
                bias[module.hidden_size : 2 * module.hidden_size] += FORGET_BIAS


def _set_heads(network: Network) -> None:
    """Calibrate the three heads on their inputs for random utterances in random styles."""
    predictor: Any = network.predictor
    stages = exportable_stages(network)
    limit = network.config.token_limit
    utterances = [_utterance(network.config, min(count, limit)) for count in SAMPLE_TOKENS]
    features = []
    with _inputs_of(predictor.duration_proj.linear_layer) as hidden:
        for tokens, style, count in utterances:
            features.append(stages["duration"](*stages["bert"](tokens, count), style, count)[1])
    share = FRAMES_PER_TOKEN / network.config.max_dur
    mean = math.log(share / (1 - share))
    _set_head(predictor.duration_proj.linear_layer, torch.cat(hidden, 1)[0], mean, DURATION_SPREAD)
    with _inputs_of(predictor.F0_proj) as pitch, _inputs_of(predictor.N_proj) as energy:
        for (_, style, count), prosody_features in zip(utterances, features, strict=True):
            frame_token = torch.arange(int(count)).repeat_interleave(FRAMES_PER_TOKEN)[None]
            stages["f0n"](prosody_features, frame_token, style, FRAMES_PER_TOKEN * count)
    _set_head(predictor.F0_proj, torch.cat(pitch, 2)[0].T, PITCH_HZ, PITCH_SPREAD_HZ)
    _set_head(predictor.N_proj, torch.cat(energy, 2)[0].T, ENERGY, ENERGY_SPREAD)


def _utterance(config: ModelConfig, token_count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Random tokens [1, tokens], a random style [1, style_dim] and the count [1]."""
    tokens = torch.randint(1, config.n_token, (1, token_count), dtype=torch.int32)
    return tokens, STYLE_SCALE * torch.randn(1, config.style_dim), torch.tensor([token_count], dtype=torch.int32)


def _set_head(layer: Any, reached: Tensor, mean: float, spread: float) -> None:
    """Make every output of a linear layer or pointwise convolution have this mean and spread.

    `reached` [steps, channels] is its input. All outputs share one direction, the one in which the input varies most,
    so that rounding errors of the input matter least.
    """
    _, _, directions = torch.linalg.svd(reached - reached.mean(dim=0), full_matrices=False)
    direction = directions[0] * directions[0][directions[0].abs().argmax()].sign()
    values = reached @ direction
    scale = spread / values.std()
    layer.weight.copy_((scale * direction).reshape(layer.weight[:1].shape).expand_as(layer.weight))
    layer.bias.fill_(mean - scale * values.mean())


@contextmanager
def _inputs_of(layer: nn.Module) -> Iterator[list[Tensor]]:
    """Collect the inputs of a layer while the context lasts."""
    reached: list[Tensor] = []
    handle = layer.register_forward_pre_hook(lambda _, arguments: reached.append(arguments[0]))
    try:
        yield reached
    finally:
        handle.remove()


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed torch's random numbers for this context only."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
