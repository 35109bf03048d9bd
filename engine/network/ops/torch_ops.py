"""The operators as PyTorch custom operators, which stay whole through `torch.export`.

In the compiler, slices of symbolic axes would lose their length; a custom operator keeps it.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from engine.network.ops import harmonic_source as numpy_source
from engine.network.ops.adaptive_norm import EPSILON


@torch.library.custom_op("kokoro::adaptive_layer_norm", mutates_args=())
def adaptive_layer_norm(x: Tensor, styles: Tensor, constant_input: Tensor, offset: int, epsilon: float) -> Tensor:
    """`engine.network.ops.adaptive_layer_norm.adaptive_layer_norm` on tensors."""
    batch, time, channels = x.shape
    gamma, beta = styles[:, None].narrow(2, offset, 2 * channels).chunk(2, dim=2)
    styled = (1 + gamma) * functional.layer_norm(x, (channels,), eps=epsilon) + beta
    return torch.cat([styled, constant_input[:, None].expand(batch, time, constant_input.shape[1])], dim=2)


@adaptive_layer_norm.register_fake
def _(x: Tensor, styles: Tensor, constant_input: Tensor, offset: int, epsilon: float) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], x.shape[2] + constant_input.shape[1])


@torch.library.custom_op("kokoro::adaptive_norm", mutates_args=())
def adaptive_norm(x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int) -> Tensor:
    """`engine.network.ops.adaptive_norm.adaptive_norm` on tensors; `lengths` is int32."""
    gamma, beta = styles.narrow(1, offset, 2 * x.shape[1]).chunk(2, dim=1)
    scale, shift = (1 + gamma) * weight, (1 + gamma) * bias + beta
    result = torch.zeros_like(x)
    for batch_index, length in enumerate(lengths.tolist()):
        valid = x[batch_index, :, :length]
        variance, mean = torch.var_mean(valid.double(), dim=1, correction=0, keepdim=True)
        normal = (valid - mean) * torch.rsqrt(variance + EPSILON)
        result[batch_index, :, :length] = normal * scale[batch_index][:, None] + shift[batch_index][:, None]
    return result


@torch.library.custom_op("kokoro::adaptive_norm_leaky_relu", mutates_args=())
def adaptive_norm_leaky_relu(
    x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int, slope: float
) -> Tensor:
    """`engine.network.ops.adaptive_norm.adaptive_norm_leaky_relu` on tensors; `lengths` is int32."""
    return torch.nn.functional.leaky_relu(adaptive_norm(x, lengths, styles, weight, bias, offset), slope)


@torch.library.custom_op("kokoro::adaptive_norm_snake", mutates_args=())
def adaptive_norm_snake(
    x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int, alpha: Tensor
) -> Tensor:
    """`engine.network.ops.adaptive_norm.adaptive_norm_snake` on tensors; `lengths` is int32."""
    y = adaptive_norm(x, lengths, styles, weight, bias, offset)
    frequency = alpha[:, None]
    return torch.addcdiv(y, torch.sin(frequency * y) ** 2, frequency)


@adaptive_norm.register_fake
def _(x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@adaptive_norm_leaky_relu.register_fake
def _(x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int, slope: float) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@adaptive_norm_snake.register_fake
def _(x: Tensor, lengths: Tensor, styles: Tensor, weight: Tensor, bias: Tensor, offset: int, alpha: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@torch.library.custom_op("kokoro::attention", mutates_args=())
def attention(x: Tensor, lengths: Tensor, heads: int) -> Tensor:
    """`engine.network.ops.attention.attention` on tensors; `lengths` is int32."""
    batch, time, channels = x.shape
    parts = x.reshape(batch, time, 3, heads, channels // (3 * heads)).permute(2, 0, 3, 1, 4)
    result = torch.zeros(parts.shape[1:], dtype=x.dtype)
    for batch_index, length in enumerate(lengths.tolist()):
        rows, keys, values = parts[:, batch_index : batch_index + 1, :, :length]
        result[batch_index, :, :length] = torch.nn.functional.scaled_dot_product_attention(rows, keys, values)[0]
    return result.transpose(1, 2).reshape(batch, time, channels // 3)


@attention.register_fake
def _(x: Tensor, lengths: Tensor, heads: int) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], x.shape[2] // 3)


@torch.library.custom_op("kokoro::harmonic_source", mutates_args=())
def harmonic_source(
    f0: Tensor, noise: Tensor, lengths: Tensor, weight: Tensor, bias: Tensor, n_fft: int, hop: int
) -> Tensor:
    """`engine.network.ops.harmonic_source.harmonic_source` on tensors; `lengths` is int32."""
    pitch, excitation, frames = f0.numpy(), noise.numpy(), lengths.numpy()
    merging = weight.detach().numpy(), bias.detach().numpy()
    return torch.from_numpy(numpy_source.harmonic_source(pitch, excitation, frames, *merging, n_fft, hop))


@harmonic_source.register_fake
def _(f0: Tensor, noise: Tensor, lengths: Tensor, weight: Tensor, bias: Tensor, n_fft: int, hop: int) -> Tensor:
    batch, frames, samples, _ = noise.shape
    return f0.new_empty(batch, n_fft + 2, samples // hop * frames + 1)


@torch.library.custom_op("kokoro::inverse_stft", mutates_args=())
def inverse_stft(
    magnitude: Tensor, phase: Tensor, lengths: Tensor, n_fft: int, hop: int, samples_per_frame: int
) -> Tensor:
    """`engine.network.ops.inverse_stft.inverse_stft` on tensors; `lengths` is int32."""
    result = magnitude.new_zeros(magnitude.shape[0], (magnitude.shape[2] - 1) * hop)
    window = torch.hann_window(n_fft)
    for batch_index, length in enumerate(lengths.tolist()):
        samples = samples_per_frame * length
        columns = samples // hop + 1
        spectrum = torch.polar(
            magnitude[batch_index, :, :columns].contiguous(), phase[batch_index, :, :columns].contiguous()
        )
        result[batch_index, :samples] = torch.istft(spectrum, n_fft, hop, window=window)
    return result


@inverse_stft.register_fake
def _(magnitude: Tensor, phase: Tensor, lengths: Tensor, n_fft: int, hop: int, samples_per_frame: int) -> Tensor:
    return magnitude.new_empty(magnitude.shape[0], (magnitude.shape[2] - 1) * hop)


@torch.library.custom_op("kokoro::lstm_forward_packed", mutates_args=())
def lstm_forward_packed(x: Tensor, lengths: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    """`engine.network.ops.packed_lstm.lstm_forward_packed` on tensors; `lengths` is int32."""
    return _run(x, lengths, [weight_ih, weight_hh, bias, torch.zeros_like(bias)], bidirectional=False)


@lstm_forward_packed.register_fake
def _(x: Tensor, lengths: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], weight_hh.shape[1])


@torch.library.custom_op("kokoro::lstm_forward_packed_bidirectional", mutates_args=())
def lstm_forward_packed_bidirectional(
    x: Tensor,
    lengths: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias: Tensor,
    weight_ih_reverse: Tensor,
    weight_hh_reverse: Tensor,
    bias_reverse: Tensor,
) -> Tensor:
    """`engine.network.ops.packed_lstm.lstm_forward_packed_bidirectional` on tensors; `lengths` is int32."""
    none = torch.zeros_like(bias)
    weights = [weight_ih, weight_hh, bias, none, weight_ih_reverse, weight_hh_reverse, bias_reverse, none]
    return _run(x, lengths, weights, bidirectional=True)


@lstm_forward_packed_bidirectional.register_fake
def _(
    x: Tensor,
    lengths: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    bias: Tensor,
    weight_ih_reverse: Tensor,
    weight_hh_reverse: Tensor,
    bias_reverse: Tensor,
) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], 2 * weight_hh.shape[1])


def _run(x: Tensor, lengths: Tensor, weights: list[Tensor], *, bidirectional: bool) -> Tensor:
    directions = 2 if bidirectional else 1
    packed = pack_padded_sequence(x, lengths.long(), batch_first=True, enforce_sorted=False)
    initial = x.new_zeros(directions, x.shape[0], weights[1].shape[1])
    data, _, _ = torch._VF.lstm(
        packed.data,
        packed.batch_sizes,
        (initial, initial),
        weights,
        True,  # has biases
        1,  # layers
        0.0,  # dropout
        False,  # training
        bidirectional,
    )
    outputs = PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
    return pad_packed_sequence(outputs, batch_first=True, total_length=x.shape[1])[0]


@torch.library.custom_op("kokoro::reflect_left", mutates_args=())
def reflect_left(x: Tensor) -> Tensor:
    """`engine.network.ops.reflect_left.reflect_left` on a tensor."""
    return torch.cat([x[:, :, 1:2], x], dim=2)


@reflect_left.register_fake
def _(x: Tensor) -> Tensor:
    return x.new_empty(x.shape[0], x.shape[1], x.shape[2] + 1)
