"""The shape of every weight of kokoro's network by state-dict key, without weight norm, computed without PyTorch."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engine.config import GeneratorConfig, ModelConfig

Shape = tuple[int, ...]
_Named = Iterator[tuple[str, Shape]]

_TOKEN_TYPES = 2
_BLOCKS_IN_DECODER = 3
"""Before the one that upsamples."""
_CURVES = 2
"""F0 and energy, which are concatenated with the features."""
_NOISE_KERNEL, _LAST_NOISE_KERNEL = 7, 11
_POST_KERNEL = 7
_DIRECTIONS = ("", "_reverse")


def weight_shapes(config: ModelConfig) -> dict[str, Shape]:
    """The shapes that the state dict of `engine.network.architecture.Network` has."""
    parts = (
        ("bert", _bert(config)),
        ("bert_encoder", _linear(config.plbert.hidden_size, config.hidden_dim)),
        ("predictor", _predictor(config)),
        ("text_encoder", _text_encoder(config)),
        ("decoder", _decoder(config)),
    )
    return dict(named for part, weights in parts for named in _in(part, weights))


def _bert(config: ModelConfig) -> _Named:
    sizes = config.plbert
    hidden = sizes.hidden_size
    tables = {"word": config.n_token, "position": sizes.max_position_embeddings, "token_type": _TOKEN_TYPES}
    for name, rows in tables.items():
        yield f"embeddings.{name}_embeddings.weight", (rows, sizes.embedding_size)
    yield from _in("embeddings.LayerNorm", _norm(sizes.embedding_size))
    yield from _in("encoder.embedding_hidden_mapping_in", _linear(sizes.embedding_size, hidden))
    layer = "encoder.albert_layer_groups.0.albert_layers.0"
    for name in ("query", "key", "value", "dense"):
        yield from _in(f"{layer}.attention.{name}", _linear(hidden, hidden))
    yield from _in(f"{layer}.attention.LayerNorm", _norm(hidden))
    yield from _in(f"{layer}.full_layer_layer_norm", _norm(hidden))
    yield from _in(f"{layer}.ffn", _linear(hidden, sizes.intermediate_size))
    yield from _in(f"{layer}.ffn_output", _linear(sizes.intermediate_size, hidden))
    yield from _in("pooler", _linear(hidden, hidden))


def _predictor(config: ModelConfig) -> _Named:
    hidden, style, half = config.hidden_dim, config.style_dim, config.hidden_dim // 2
    for layer in range(config.n_layer):
        yield from _in(f"text_encoder.lstms.{2 * layer}", _lstm(config.prosody_channels, half))
        yield from _in(f"text_encoder.lstms.{2 * layer + 1}.fc", _linear(style, 2 * hidden))
    for name in ("lstm", "shared"):
        yield from _in(name, _lstm(config.prosody_channels, half))
    yield from _in("duration_proj.linear_layer", _linear(hidden, config.max_dur))
    for curve in ("F0", "N"):
        yield from _in(f"{curve}.0", _decoder_block(hidden, hidden, style))
        yield from _in(f"{curve}.1", _decoder_block(hidden, half, style, upsamples=True))
        yield from _in(f"{curve}.2", _decoder_block(half, half, style))
        yield from _in(f"{curve}_proj", _convolution(half, 1, 1))


def _text_encoder(config: ModelConfig) -> _Named:
    hidden = config.hidden_dim
    yield "embedding.weight", (config.n_token, hidden)
    for layer in range(config.n_layer):
        yield from _in(f"cnn.{layer}.0", _convolution(hidden, hidden, config.text_encoder_kernel_size))
        yield from ((f"cnn.{layer}.1.{name}", (hidden,)) for name in ("gamma", "beta"))
    yield from _in("lstm", _lstm(hidden, hidden // 2))


def _decoder(config: ModelConfig) -> _Named:
    sizes, style = config.istftnet, config.style_dim
    joined = sizes.decoder_dim + _CURVES + sizes.asr_res_dim
    yield from _in("encode", _decoder_block(config.hidden_dim + _CURVES, sizes.decoder_dim, style))
    for block in range(_BLOCKS_IN_DECODER):
        yield from _in(f"decode.{block}", _decoder_block(joined, sizes.decoder_dim, style))
    last = _decoder_block(joined, sizes.upsample_initial_channel, style, upsamples=True)
    yield from _in(f"decode.{_BLOCKS_IN_DECODER}", last)
    for name in ("F0_conv", "N_conv"):
        yield from _in(name, _convolution(1, 1, 3))
    yield from _in("asr_res.0", _convolution(config.hidden_dim, sizes.asr_res_dim, 1))
    yield from _in("generator", _generator(config))


def _generator(config: ModelConfig) -> _Named:
    sizes, style = config.istftnet, config.style_dim
    levels, kernels = len(sizes.upsample_rates), len(sizes.resblock_kernel_sizes)
    yield from _in("m_source.l_linear", _linear(config.harmonic_count, 1))
    for level in range(levels):
        before = sizes.upsample_initial_channel // 2**level
        channels = before // 2
        upsampled = (before, channels, sizes.upsample_kernel_sizes[level])
        yield from ((f"ups.{level}.weight", upsampled), (f"ups.{level}.bias", (channels,)))
        noise = _convolution(config.harmonics_channels, channels, _noise_kernel(sizes, level))
        yield from _in(f"noise_convs.{level}", noise)
        kernel = _LAST_NOISE_KERNEL if level + 1 == levels else _NOISE_KERNEL
        yield from _in(f"noise_res.{level}", _residual_block(channels, kernel, style))
        for index, kernel in enumerate(sizes.resblock_kernel_sizes):
            yield from _in(f"resblocks.{level * kernels + index}", _residual_block(channels, kernel, style))
    yield from _in("conv_post", _convolution(channels, config.harmonics_channels, _POST_KERNEL))


def _noise_kernel(sizes: GeneratorConfig, level: int) -> int:
    rates = sizes.upsample_rates[level + 1 :]
    return 2 * math.prod(rates) if rates else 1


def _residual_block(channels: int, kernel: int, style: int) -> _Named:
    """A block of the generator: three times two convolutions, each with a norm and a snake before it."""
    for half in (1, 2):
        for index in range(3):
            yield from _in(f"convs{half}.{index}", _convolution(channels, channels, kernel))
            yield from _in(f"adain{half}.{index}", _adaptive_norm(channels, style))
            yield f"alpha{half}.{index}", (1, channels, 1)


def _decoder_block(inputs: int, outputs: int, style: int, *, upsamples: bool = False) -> _Named:
    """A block of the decoder, or of a curve's predictor."""
    yield from _in("conv1", _convolution(inputs, outputs, 3))
    yield from _in("conv2", _convolution(outputs, outputs, 3))
    yield from _in("norm1", _adaptive_norm(inputs, style))
    yield from _in("norm2", _adaptive_norm(outputs, style))
    if inputs != outputs:
        yield "conv1x1.weight", (outputs, inputs, 1)
    if upsamples:
        yield from (("pool.weight", (inputs, 1, 3)), ("pool.bias", (inputs,)))


def _adaptive_norm(channels: int, style: int) -> _Named:
    yield from _in("norm", _norm(channels))
    yield from _in("fc", _linear(style, 2 * channels))


def _lstm(inputs: int, hidden: int) -> _Named:
    """An LSTM of one layer and two directions, with four gates."""
    gates = 4 * hidden
    for suffix in _DIRECTIONS:
        yield f"weight_ih_l0{suffix}", (gates, inputs)
        yield f"weight_hh_l0{suffix}", (gates, hidden)
        yield from ((f"bias_{kind}_l0{suffix}", (gates,)) for kind in ("ih", "hh"))


def _convolution(inputs: int, outputs: int, kernel: int) -> _Named:
    yield from (("weight", (outputs, inputs, kernel)), ("bias", (outputs,)))


def _linear(inputs: int, outputs: int) -> _Named:
    yield from (("weight", (outputs, inputs)), ("bias", (outputs,)))


def _norm(channels: int) -> _Named:
    yield from (("weight", (channels,)), ("bias", (channels,)))


def _in(module: str, weights: _Named) -> _Named:
    return ((f"{module}.{name}", shape) for name, shape in weights)
