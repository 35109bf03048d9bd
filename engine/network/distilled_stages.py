"""The stages with students instead of LSTMs, each at the path of its LSTM in the kokoro module tree.

Every other part of a stage is that of `engine.network.exportable`. Its modules depend on its source, which therefore
knows nothing of students; what stands around an LSTM is here once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from kokoro.modules import AdaLayerNorm
from torch import Tensor, nn
from torch.nn import functional

from engine.config import ModelConfig
from engine.network.architecture import Network, build_network
from engine.network.exportable.blocks import bidirectional_lstm, zero_beyond
from engine.network.exportable.probing import ProbedModule, noted, probe_paths
from engine.network.exportable.prosody import Duration, PitchAndEnergy
from engine.network.exportable.styles import NormStyles
from engine.network.exportable.text import TextEncoder
from engine.network.ops.torch_ops import adaptive_layer_norm
from engine.network.random_weights import without_weight_norm
from engine.network.student import student_from
from engine.network.student_file import Students
from engine.network.weights import Weights
from engine.stages import stage_named


def distilled_stages(
    config: ModelConfig, students: Students, weights: Weights | None = None, probed: bool = False
) -> dict[str, nn.Module]:
    """One module per stage that has a student, by stage name, as `exportable_stages` makes them for packed LSTMs.

    Without `weights`, which are the whole model's and the students', parameters are not initialized.
    """
    network = _network(config, students)
    kinds = {"duration": DistilledDuration, "f0n": DistilledPitchAndEnergy, "text_encoder": DistilledTextEncoder}
    stages: dict[str, nn.Module] = {name: kinds[name](network) for name in students.stages}
    for module in stages.values():
        module.eval().requires_grad_(False)  # in training mode the students' attention is a different operator
        if weights is not None:
            module.load_state_dict({name: torch.from_numpy(weights[name]) for name in module.state_dict()})
    return {name: _probed(network, name, module) for name, module in stages.items()} if probed else stages


def _network(config: ModelConfig, students: Students) -> Network:
    """The model with students in it, whose parameters are not initialized."""
    with torch.device("meta"):
        network = without_weight_norm(build_network(config))
    network.to_empty(device="cpu")
    put_in_place(network, {path: student_from(each) for path, each in students.architectures.items()})
    return network


def put_in_place(network: nn.Module, students: Mapping[str, nn.Module]) -> None:
    """Put students in the places of a network's LSTMs, by their paths in the kokoro module tree."""
    for path, student in students.items():
        parent, _, name = path.rpartition(".")
        setattr(network.get_submodule(parent), name, student)


def _probed(network: Network, name: str, module: nn.Module) -> nn.Module:
    return ProbedModule(module, probe_paths(network, stage_named(name)))


def _over_time(module: Any, x: Tensor, lengths: Tensor) -> Tensor:
    """The output of an LSTM or its student for `x` [batch, time, channels], with zeros beyond the length."""
    if isinstance(module, nn.LSTM):
        return bidirectional_lstm(module, x, lengths)
    hidden: Tensor = module(x, lengths)
    return hidden


class DistilledDuration(Duration):
    """Stage `duration`, with students."""

    def forward(self, text_features: Tensor, prosody: Tensor, token_count: Tensor) -> tuple[Tensor, Tensor]:
        """See `Duration.forward`."""
        predictor: Any = self.predictor
        features = self._encoded(text_features.transpose(1, 2), prosody, token_count)
        hidden = noted("predictor.lstm", _over_time(predictor["lstm"], features, token_count))
        logits = predictor["duration_proj"].linear_layer(hidden)
        return zero_beyond(logits, token_count, axis=1), zero_beyond(features, token_count, axis=1)

    def _encoded(self, x: Tensor, style: Tensor, lengths: Tensor) -> Tensor:
        encoder: Any = self.predictor["text_encoder"]
        styles = NormStyles([encoder], style)
        x = torch.cat([x, style[:, None, :].expand(x.shape[0], x.shape[1], style.shape[1])], dim=2)
        for index, block in enumerate(encoder.lstms):
            path = f"predictor.text_encoder.lstms.{index}"
            if isinstance(block, AdaLayerNorm):
                x = adaptive_layer_norm(x, styles.values, style, styles.offset(block), block.eps)
                noted(path, x[:, :, : block.channels])
            else:
                x = noted(path, _over_time(block, x, lengths))
        return x


class DistilledPitchAndEnergy(PitchAndEnergy):
    """Stage `f0n`, with a student."""

    def forward(
        self, prosody_features: Tensor, frame_token: Tensor, prosody: Tensor, frame_count: Tensor
    ) -> tuple[Tensor, Tensor]:
        """See `PitchAndEnergy.forward`."""
        predictor: Any = self.predictor
        chosen = zero_beyond(frame_token, frame_count, axis=1).long()[:, :, None]
        index = chosen.expand(chosen.shape[0], chosen.shape[1], prosody_features.shape[2])
        aligned = torch.gather(prosody_features, 1, index)
        x = noted("predictor.shared", _over_time(predictor["shared"], aligned, frame_count)).transpose(1, 2)
        styles = NormStyles([predictor["F0"], predictor["N"]], prosody)
        return self._curve("F0", x, styles, frame_count), self._curve("N", x, styles, frame_count)


class DistilledTextEncoder(TextEncoder):
    """Stage `text_encoder`, with a student."""

    def forward(self, tokens: Tensor, token_count: Tensor) -> tuple[Tensor]:
        """See `TextEncoder.forward`."""
        encoder: Any = self.text_encoder
        x = encoder.embedding(zero_beyond(tokens, token_count, axis=1)).transpose(1, 2)
        x = zero_beyond(x, token_count, axis=2)
        for index, (convolution, norm, activation, _) in enumerate(encoder.cnn):
            y = convolution(x).transpose(1, 2)
            y = functional.layer_norm(y, (norm.channels,), norm.gamma, norm.beta, norm.eps).transpose(1, 2)
            x = noted(f"text_encoder.cnn.{index}", zero_beyond(activation(y), token_count, axis=2))
        hidden = _over_time(encoder.lstm, x.transpose(1, 2), token_count)
        return (noted("text_encoder.lstm", hidden).transpose(1, 2),)
