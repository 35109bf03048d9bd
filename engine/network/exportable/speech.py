"""The three stages that make sound: harmonic source, decoder, waveform."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import torch
from torch import Tensor, nn

from engine.network.architecture import Network
from engine.network.exportable.blocks import leaky_relu_within, residual_block, snake_block, zero_beyond
from engine.network.exportable.probing import noted
from engine.network.exportable.styles import NormStyles
from engine.network.ops.torch_ops import harmonic_source, inverse_stft, reflect_left

UPSAMPLE_SLOPE = 0.1
"""The slope of kokoro's leaky ReLU before each upsampling."""
LAST_SLOPE = 0.01
"""The slope of kokoro's leaky ReLU before the last convolution: torch's default."""


class Source(nn.Module):
    """Stage `source`: the sines of a pitch curve, merged, as a spectrum."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        merging = nn.ModuleDict({"l_linear": network.decoder.generator.m_source.l_linear})
        self.decoder = nn.ModuleDict({"generator": nn.ModuleDict({"m_source": merging})})
        self._n_fft = network.config.istftnet.gen_istft_n_fft
        self._hop = network.config.istftnet.gen_istft_hop_size

    def forward(self, f0: Tensor, source_noise: Tensor, frame_count: Tensor) -> tuple[Tensor]:
        """Magnitudes and phases [batch, harmonics_channels, columns], 0 beyond the count."""
        decoder: Any = self.decoder
        merging = decoder["generator"]["m_source"]["l_linear"]
        return (harmonic_source(f0, source_noise, frame_count, merging.weight, merging.bias, self._n_fft, self._hop),)


class Decoder(nn.Module):
    """Stage `decoder`: kokoro's decoder and generator up to the spectrum of the waveform."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        names = ("ups", "noise_convs", "noise_res", "resblocks", "conv_post")
        generator = nn.ModuleDict({name: getattr(network.decoder.generator, name) for name in names})
        names = ("encode", "decode", "F0_conv", "N_conv", "asr_res")
        parts = {name: getattr(network.decoder, name) for name in names}
        self.decoder = nn.ModuleDict({**parts, "generator": generator})
        self._config = network.config

    def forward(
        self,
        phoneme_features: Tensor,
        frame_token: Tensor,
        f0: Tensor,
        energy: Tensor,
        timbre: Tensor,
        frame_count: Tensor,
        harmonics: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Magnitude and phase, both [batch, frequency_bins, columns], 0 beyond the count."""
        phonemes = _aligned(phoneme_features, frame_token, frame_count)
        x, lengths = self._decoded(phonemes, f0, energy, timbre, frame_count)
        columns = self._config.stft_frames_per_frame * frame_count + 1
        harmonics = zero_beyond(harmonics, columns, axis=2)
        for level in range(len(self._config.istftnet.upsample_rates)):
            x, lengths = self._upsampled(level, x, lengths, harmonics, timbre)
        generator: Any = self.decoder["generator"]
        spectrum = generator["conv_post"](leaky_relu_within(x, lengths, LAST_SLOPE))
        spectrum, bins = noted("decoder.generator.conv_post", spectrum), self._config.frequency_bins
        return (
            zero_beyond(torch.exp(spectrum[:, :bins]), lengths, axis=2),
            zero_beyond(torch.sin(spectrum[:, bins:]), lengths, axis=2),
        )

    def _decoded(
        self, phonemes: Tensor, f0: Tensor, energy: Tensor, timbre: Tensor, frame_count: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The generator's input and its lengths."""
        decoder: Any = self.decoder
        curves = [
            _at_frame_rate(decoder["F0_conv"], f0, frame_count),
            _at_frame_rate(decoder["N_conv"], energy, frame_count),
        ]
        residual = decoder["asr_res"](phonemes)
        styles = NormStyles([decoder["encode"], decoder["decode"]], timbre)
        x, lengths = torch.cat([phonemes, *curves], dim=1), frame_count
        x = noted("decoder.encode", residual_block(decoder["encode"], x, styles, lengths))
        joined = True
        for index, block in enumerate(decoder["decode"]):
            x = torch.cat([x, residual, *curves], dim=1) if joined else x
            x = noted(f"decoder.decode.{index}", residual_block(block, x, styles, lengths))
            if block.upsample_type != "none":
                joined, lengths = False, 2 * lengths
        return x, lengths

    def _upsampled(
        self, level: int, x: Tensor, lengths: Tensor, harmonics: Tensor, timbre: Tensor
    ) -> tuple[Tensor, Tensor]:
        """One level of the generator: upsampled, the source added, residual blocks averaged."""
        generator: Any = self.decoder["generator"]
        rates = self._config.istftnet.upsample_rates
        x = generator["ups"][level](leaky_relu_within(x, lengths, UPSAMPLE_SLOPE))
        x = noted(f"decoder.generator.ups.{level}", x)
        lengths = rates[level] * lengths
        if level == len(rates) - 1:
            x, lengths = reflect_left(x), lengths + 1
        styles = NormStyles([generator["noise_res"][level], *self._residual_blocks(level).values()], timbre)
        branch = snake_block(generator["noise_res"][level], generator["noise_convs"][level](harmonics), styles, lengths)
        x = x + noted(f"decoder.generator.noise_res.{level}", branch)
        return self._averaged(level, x, lengths, styles), lengths

    def _averaged(self, level: int, x: Tensor, lengths: Tensor, styles: NormStyles) -> Tensor:
        """The mean of the outputs of a level's residual blocks for `x`."""
        blocks = self._residual_blocks(level)
        outputs = (noted(path, snake_block(block, x, styles, lengths)) for path, block in blocks.items())
        mean: Tensor = reduce(add, outputs) / len(blocks)
        return mean

    def _residual_blocks(self, level: int) -> dict[str, Any]:
        """A level's residual blocks by their paths."""
        generator: Any = self.decoder["generator"]
        count = len(self._config.istftnet.resblock_kernel_sizes)
        indices = range(level * count, (level + 1) * count)
        return {f"decoder.generator.resblocks.{index}": generator["resblocks"][index] for index in indices}


class Waveform(nn.Module):
    """Stage `istft`: samples from a spectrum; it has no parameters."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self._n_fft = network.config.istftnet.gen_istft_n_fft
        self._hop = network.config.istftnet.gen_istft_hop_size
        self._samples_per_frame = network.config.samples_per_frame

    def forward(self, magnitude: Tensor, phase: Tensor, frame_count: Tensor) -> tuple[Tensor]:
        """Audio [batch, samples], 0 beyond the count."""
        return (inverse_stft(magnitude, phase, frame_count, self._n_fft, self._hop, self._samples_per_frame),)


def _aligned(phoneme_features: Tensor, frame_token: Tensor, frame_count: Tensor) -> Tensor:
    """Each frame's phoneme features, [batch, hidden_dim, frames]."""
    chosen = zero_beyond(frame_token, frame_count, axis=1).long()[:, None, :]
    index = chosen.expand(chosen.shape[0], phoneme_features.shape[1], chosen.shape[2])
    return torch.gather(phoneme_features, 2, index)


def _at_frame_rate(convolution: nn.Module, curve: Tensor, frame_count: Tensor) -> Tensor:
    """A curve [batch, frames, values] reduced to one value per frame, [batch, 1, frames]."""
    batch, frames, values = curve.shape
    flat = zero_beyond(curve, frame_count, axis=1).reshape(batch, 1, frames * values)
    result: Tensor = convolution(flat)
    return result
