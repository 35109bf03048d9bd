"""The two stages that predict prosody: durations, and pitch with energy."""

from __future__ import annotations

from typing import Any

import torch
from kokoro.modules import AdaLayerNorm
from torch import Tensor, nn

from engine.network.architecture import Network
from engine.network.exportable.blocks import bidirectional_lstm, residual_block, zero_beyond
from engine.network.exportable.probing import noted
from engine.network.exportable.styles import NormStyles
from engine.network.ops.packed_lstm import LstmSemantics
from engine.network.ops.torch_ops import adaptive_layer_norm


class Duration(nn.Module):
    """Stage `duration`: kokoro's duration encoder, duration LSTM and projection."""

    def __init__(self, network: Network, semantics: LstmSemantics = LstmSemantics.PACKED) -> None:
        super().__init__()
        names = ("text_encoder", "lstm", "duration_proj")
        self.predictor = nn.ModuleDict({name: getattr(network.predictor, name) for name in names})
        self._semantics = semantics

    def forward(self, text_features: Tensor, prosody: Tensor, token_count: Tensor) -> tuple[Tensor, Tensor]:
        """Duration logits [batch, tokens, max_dur] and prosody features [batch, tokens, prosody_channels]."""
        predictor: Any = self.predictor
        features = self._encoded(text_features.transpose(1, 2), prosody, token_count)
        hidden = bidirectional_lstm(predictor["lstm"], features, token_count, self._semantics)
        logits = predictor["duration_proj"].linear_layer(noted("predictor.lstm", hidden))
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
                x = noted(path, bidirectional_lstm(block, x, lengths, self._semantics))
        return x


class PitchAndEnergy(nn.Module):
    """Stage `f0n`: kokoro's aligned LSTM, and one tower of blocks each for pitch and energy."""

    def __init__(self, network: Network, semantics: LstmSemantics = LstmSemantics.PACKED) -> None:
        super().__init__()
        names = ("shared", "F0", "N", "F0_proj", "N_proj")
        self.predictor = nn.ModuleDict({name: getattr(network.predictor, name) for name in names})
        self._values_per_frame = network.config.f0_values_per_frame
        self._semantics = semantics

    def forward(
        self, prosody_features: Tensor, frame_token: Tensor, prosody: Tensor, frame_count: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Pitch in Hz and energy, both [batch, frames, values], 0 beyond the count."""
        predictor: Any = self.predictor
        chosen = zero_beyond(frame_token, frame_count, axis=1).long()[:, :, None]
        index = chosen.expand(chosen.shape[0], chosen.shape[1], prosody_features.shape[2])
        aligned = torch.gather(prosody_features, 1, index)
        hidden = bidirectional_lstm(predictor["shared"], aligned, frame_count, self._semantics)
        x = noted("predictor.shared", hidden).transpose(1, 2)
        styles = NormStyles([predictor["F0"], predictor["N"]], prosody)
        return self._curve("F0", x, styles, frame_count), self._curve("N", x, styles, frame_count)

    def _curve(self, name: str, x: Tensor, styles: NormStyles, frame_count: Tensor) -> Tensor:
        predictor: Any = self.predictor
        batch, _, frames = x.shape
        lengths = frame_count
        for index, block in enumerate(predictor[name]):
            x = noted(f"predictor.{name}.{index}", residual_block(block, x, styles, lengths))
            lengths = lengths if block.upsample_type == "none" else 2 * lengths
        values = predictor[f"{name}_proj"](x).reshape(batch, frames, self._values_per_frame)
        return zero_beyond(values, frame_count, axis=1)
