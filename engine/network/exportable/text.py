"""The two stages that read tokens: ALBERT's text features, and phoneme features."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.network.architecture import Network
from engine.network.exportable.blocks import bidirectional_lstm, zero_beyond
from engine.network.exportable.probing import noted
from engine.network.ops.packed_lstm import LstmSemantics
from engine.network.ops.torch_ops import attention


class Bert(nn.Module):
    """Stage `bert`: kokoro's ALBERT and its projection, over the network's own parameters."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        embeddings = network.bert.embeddings
        names = ("word_embeddings", "position_embeddings", "token_type_embeddings", "LayerNorm")
        parts = nn.ModuleDict({name: getattr(embeddings, name) for name in names})
        self.bert = nn.ModuleDict({"embeddings": parts, "encoder": network.bert.encoder})
        self.bert_encoder = network.bert_encoder
        self._layers = network.bert.config.num_hidden_layers
        self._heads = network.bert.config.num_attention_heads

    def forward(self, tokens: Tensor, token_count: Tensor) -> tuple[Tensor]:
        """Text features [batch, hidden_dim, tokens], 0 beyond the count."""
        encoder: Any = self.bert["encoder"]
        x = encoder.embedding_hidden_mapping_in(self._embedded(tokens, token_count))
        layer = encoder.albert_layer_groups[0].albert_layers[0]
        parts = (layer.attention.query, layer.attention.key, layer.attention.value)
        weight, bias = torch.cat([part.weight for part in parts]), torch.cat([part.bias for part in parts])
        for _ in range(self._layers):
            mixed = attention(functional.linear(x, weight, bias), token_count, self._heads)
            x = self._after_attention(layer, x, mixed)
        features = self.bert_encoder(x).transpose(1, 2)
        return (zero_beyond(features, token_count, axis=2),)

    def _embedded(self, tokens: Tensor, token_count: Tensor) -> Tensor:
        embeddings: Any = self.bert["embeddings"]
        words = embeddings["word_embeddings"](zero_beyond(tokens, token_count, axis=1))
        positions = embeddings["position_embeddings"](torch.arange(tokens.shape[1]))
        total = words + embeddings["token_type_embeddings"].weight[0] + positions
        normal: Tensor = embeddings["LayerNorm"](total)
        return normal

    @staticmethod
    def _after_attention(layer: Any, x: Tensor, mixed: Tensor) -> Tensor:
        x = layer.attention.LayerNorm(layer.attention.dense(mixed) + x)
        widened = functional.gelu(layer.ffn(x), approximate="tanh")
        normal: Tensor = layer.full_layer_layer_norm(layer.ffn_output(widened) + x)
        return normal


class TextEncoder(nn.Module):
    """Stage `text_encoder`: kokoro's convolutions and LSTM over tokens."""

    def __init__(self, network: Network, semantics: LstmSemantics = LstmSemantics.PACKED) -> None:
        super().__init__()
        self.text_encoder = network.text_encoder
        self._semantics = semantics

    def forward(self, tokens: Tensor, token_count: Tensor) -> tuple[Tensor]:
        """Phoneme features [batch, hidden_dim, tokens], 0 beyond the count."""
        encoder: Any = self.text_encoder
        x = encoder.embedding(zero_beyond(tokens, token_count, axis=1)).transpose(1, 2)
        x = zero_beyond(x, token_count, axis=2)
        for index, (convolution, norm, activation, _) in enumerate(encoder.cnn):
            y = convolution(x).transpose(1, 2)
            y = functional.layer_norm(y, (norm.channels,), norm.gamma, norm.beta, norm.eps).transpose(1, 2)
            x = noted(f"text_encoder.cnn.{index}", zero_beyond(activation(y), token_count, axis=2))
        hidden = bidirectional_lstm(encoder.lstm, x.transpose(1, 2), token_count, self._semantics)
        return (noted("text_encoder.lstm", hidden).transpose(1, 2),)
