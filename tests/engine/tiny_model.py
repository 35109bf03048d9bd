"""A model small enough to build and compile in seconds."""

from __future__ import annotations

from engine.config import BertConfig, GeneratorConfig, ModelConfig

TINY = ModelConfig(
    hidden_dim=32,
    style_dim=8,
    n_layer=2,
    n_token=20,
    max_dur=10,
    n_mels=80,
    dropout=0.2,
    text_encoder_kernel_size=5,
    plbert=BertConfig(
        hidden_size=24,
        num_attention_heads=2,
        intermediate_size=40,
        max_position_embeddings=64,
        num_hidden_layers=2,
        embedding_size=16,
    ),
    istftnet=GeneratorConfig(
        upsample_kernel_sizes=(20, 12),
        upsample_rates=(10, 6),
        gen_istft_hop_size=5,
        gen_istft_n_fft=20,
        resblock_dilation_sizes=((1, 3, 5), (1, 3, 5)),
        resblock_kernel_sizes=(3, 7),
        upsample_initial_channel=32,
        decoder_dim=40,
        asr_res_dim=8,
    ),
    vocab={symbol: number for number, symbol in enumerate("abcdefghij", start=1)},
)
"""Kokoro's graph and rates with few channels, layers and residual blocks."""
