"""The starter model's architecture: Kokoro's graph with narrow widths."""

from __future__ import annotations

from collections.abc import Mapping

from engine.config import BertConfig, GeneratorConfig, ModelConfig

STYLE_DIM = 128
"""Kokoro splits a voice's style vector at 128, so no model of this graph can have another width."""
HIDDEN_DIM = 128
DECODER_DIM = 256
ASR_RES_DIM = 32
GENERATOR_DIM = 128


def starter_config(vocabulary: Mapping[str, int]) -> ModelConfig:
    """The starter's config over Kokoro's vocabulary."""
    return ModelConfig(
        hidden_dim=HIDDEN_DIM,
        style_dim=STYLE_DIM,
        n_layer=2,
        n_token=1 + max(vocabulary.values()),
        max_dur=50,
        n_mels=80,
        dropout=0.1,
        text_encoder_kernel_size=5,
        plbert=BertConfig(
            hidden_size=HIDDEN_DIM,
            num_attention_heads=4,
            intermediate_size=2 * HIDDEN_DIM,
            max_position_embeddings=512,
            num_hidden_layers=2,
        ),
        istftnet=starter_generator(),
        vocab=dict(vocabulary),
    )


def starter_generator() -> GeneratorConfig:
    """Decoder and generator widths; rates, hop and FFT are Kokoro's."""
    return GeneratorConfig(
        upsample_kernel_sizes=(20, 12),
        upsample_rates=(10, 6),
        gen_istft_hop_size=5,
        gen_istft_n_fft=20,
        resblock_dilation_sizes=((1, 3, 5), (1, 3, 5)),
        resblock_kernel_sizes=(3, 7),
        upsample_initial_channel=GENERATOR_DIM,
        decoder_dim=DECODER_DIM,
        asr_res_dim=ASR_RES_DIM,
    )
