"""Trains the audio: front, generator, then both together.

The decoder's front (everything before the generator) learns log-mel bands, one band to a channel, so that front and
generator can be trained separately and fit together immediately. Durations, F0, energy and excitation are the
teacher's, so the teacher's waveform can be learned with its phases.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as functional
from torch import nn

from engine.config import ModelConfig
from engine.network.architecture import Network
from engine.training.starter.batches import BucketSampler, TrainingBatch, TrainingItem, collate
from engine.training.starter.spectra import MEL_FLOOR, log_mel, log_mel_distance, magnitude, spectrum

TARGET_FFT = 2048
TARGET_WINDOW = 1024
TARGET_SCALE = 2.0
"""The divisor of log-mel values above the floor, which spreads them about one unit."""
F0_SCALE = 0.01
"""The initial gain of the convolution that reads F0 in Hz."""
INITIAL_LOG_MAGNITUDE = -4.0
BORDER_FRAMES = 1
"""Frames that are not compared at an end of a piece inside an utterance, where the generator lacks context."""
END_FRAMES = 8
"""Additional chances to begin with an utterance's first frame, and as many to end with its last."""
MEL_SHARE, PHASE_SHARE = 2.0, 1.0
UPSAMPLE_SLOPE = 0.1


def prepare_decoder(network: Network) -> None:
    """Set initial values that suit the sizes of F0 (Hz) and of a quiet spectrum."""
    decoder = network.decoder
    with torch.no_grad():
        decoder.F0_conv.weight_g.mul_(F0_SCALE)
        decoder.generator.conv_post.bias[: network.config.frequency_bins] = INITIAL_LOG_MAGNITUDE


def front_modules(network: Network) -> dict[str, nn.Module]:
    """Return the decoder without its generator, and the text encoder."""
    decoder = network.decoder
    names = ("encode", "decode", "F0_conv", "N_conv", "asr_res")
    return {"text_encoder": network.text_encoder} | {name: getattr(decoder, name) for name in names}


def generator_modules(network: Network) -> dict[str, nn.Module]:
    """Return the generator."""
    return {"generator": network.decoder.generator}


def front_features(network: Network, batch: TrainingBatch) -> torch.Tensor:
    """Return the generator's input, [items, channels, 2 frames]: kokoro's `Decoder.forward` before the generator."""
    decoder, timbre = network.decoder, batch.timbre
    phonemes = batch.spread(network.text_encoder(batch.tokens, batch.lengths, batch.padding))
    f0 = decoder.F0_conv(batch.f0_hz()[:, None])
    energy = decoder.N_conv(batch.energy()[:, None])
    features: torch.Tensor = decoder.encode(torch.cat([phonemes, f0, energy], 1), timbre)
    residual = decoder.asr_res(phonemes)
    for block in decoder.decode:
        features = block(torch.cat([features, residual, f0, energy], 1), timbre)
    return features


def rendered(network: Network, features: torch.Tensor, timbre: torch.Tensor, harmonics: torch.Tensor) -> torch.Tensor:
    """Return samples [items, samples]: kokoro's `Generator.forward` with a given excitation."""
    generator = network.decoder.generator
    for level in range(generator.num_upsamples):
        source = generator.noise_res[level](generator.noise_convs[level](harmonics), timbre)
        features = generator.ups[level](functional.leaky_relu(features, UPSAMPLE_SLOPE))
        if level == generator.num_upsamples - 1:
            features = generator.reflection_pad(features)
        features = features + source
        first = level * generator.num_kernels
        blocks = generator.resblocks[first : first + generator.num_kernels]
        features = torch.stack([block(features, timbre) for block in blocks]).mean(0)
    spectrum = generator.conv_post(functional.leaky_relu(features))
    bins = network.config.frequency_bins
    samples: torch.Tensor = generator.stft.inverse(spectrum[:, :bins].exp(), spectrum[:, bins:].sin())
    return samples[:, 0]


def target_features(samples: torch.Tensor, network: Network) -> torch.Tensor:
    """Return the log-mel bands that the front learns, [items, channels, 2 frames]; zero is the floor."""
    config = network.config
    bands = config.istftnet.upsample_initial_channel
    hop = config.samples_per_f0_value
    spectrum = log_mel(samples, bands, TARGET_FFT, hop, config, TARGET_WINDOW)
    return (spectrum[..., :-1] - torch.log(torch.tensor(MEL_FLOOR))) / TARGET_SCALE


def front_loss(ours: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the distance of two sets of bands, of their slopes over frequency and over time."""
    flat = functional.l1_loss(ours, target)
    across = functional.l1_loss(ours.diff(dim=1), target.diff(dim=1))
    along = functional.l1_loss(ours.diff(dim=2), target.diff(dim=2))
    return TARGET_SCALE * (flat + across + 0.5 * along)


class FrontStage:
    """Trains text encoder and decoder front on the bands; whole utterances, no generator."""

    name = "front"

    def __init__(
        self, network: Network, items: Sequence[TrainingItem], held_out: Sequence[TrainingItem], batch_size: int
    ) -> None:
        self.modules = front_modules(network)
        self.rate_shares: dict[str, float] = {}
        self._network, self._held_out = network, held_out
        self._sampler, self._batch_size = BucketSampler(items), batch_size

    def loss(self, chance: random.Random) -> tuple[torch.Tensor, dict[str, float]]:
        """Return the distance to the target bands."""
        ours, target = self._both(self._sampler.draw(chance, self._batch_size))
        return front_loss(ours, target), {"bands": TARGET_SCALE * float((ours - target).detach().abs().mean())}

    def validate(self) -> dict[str, float]:
        """Return the mean distance of the bands (natural log units) over held-out utterances, by voice."""
        by_voice: dict[str, list[float]] = {}
        for item in self._held_out:
            ours, target = self._both(collate([item]))
            by_voice.setdefault(f"bands_{item.voice}", []).append(TARGET_SCALE * float((ours - target).abs().mean()))
        return {name: sum(values) / len(values) for name, values in by_voice.items()}

    def _both(self, batch: TrainingBatch) -> tuple[torch.Tensor, torch.Tensor]:
        target = target_features(batch.samples(self._network.config), self._network)
        return front_features(self._network, batch), target


class SoundStage:
    """Trains the generator: from the teacher's own bands, or, together with the front, from text (`joint`)."""

    def __init__(
        self,
        network: Network,
        items: Sequence[TrainingItem],
        held_out: Sequence[TrainingItem],
        batch_size: int,
        piece_frames: int,
        joint: bool,
        front_share: float = 0.3,
    ) -> None:
        self.name = "joint" if joint else "generator"
        self.modules = generator_modules(network)
        self.rate_shares: dict[str, float] = {}
        if joint:
            self.modules |= front_modules(network)
            self.rate_shares = dict.fromkeys(front_modules(network), front_share)
        self._network, self._held_out, self._joint = network, held_out, joint
        self._sampler = BucketSampler(items, piece_frames)
        self._batch_size, self._piece_frames = batch_size, piece_frames

    def loss(self, chance: random.Random) -> tuple[torch.Tensor, dict[str, float]]:
        """Return distances of a piece of each utterance, and the front's own over the whole of it."""
        batch = self._sampler.draw(chance, self._batch_size)
        samples = batch.samples(self._network.config)
        target = target_features(samples, self._network)
        features = front_features(self._network, batch) if self._joint else target
        pairs = self._pieces(batch, features, samples, chance)
        losses = [torch.stack(waveform_losses(*pair, self._network.config)) for pair in pairs]
        mel, stft, phase = torch.stack(losses).mean(0)
        measures = {"mel": float(mel.detach()), "stft": float(stft.detach()), "phase": float(phase.detach())}
        total = MEL_SHARE * mel + stft + PHASE_SHARE * phase
        if self._joint:
            total = total + front_loss(features, target)
            measures["bands"] = TARGET_SCALE * float((features - target).detach().abs().mean())
        return total, measures

    def validate(self) -> dict[str, float]:
        """Return the mean log-mel distance of held-out utterances, by voice.

        Timing, curves and excitation are the teacher's.
        """
        by_voice: dict[str, list[float]] = {}
        for item in self._held_out:
            batch = collate([item])
            wanted = batch.samples(self._network.config)
            features = front_features(self._network, batch) if self._joint else target_features(wanted, self._network)
            excitation = batch.harmonics(self._network.config, 0, batch.frames)
            heard = rendered(self._network, features, batch.timbre, excitation)
            distance = float(log_mel_distance(heard, wanted, self._network.config))
            by_voice.setdefault(f"log_mel_{item.voice}", []).append(distance)
        return {name: sum(values) / len(values) for name, values in by_voice.items()}

    def _pieces(
        self, batch: TrainingBatch, features: torch.Tensor, samples: torch.Tensor, chance: random.Random
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Yield one random piece of every utterance, [1, samples]: as generated, and as the teacher spoke it."""
        config, frames = self._network.config, self._piece_frames
        last = batch.frames - frames
        first = min(max(chance.randint(-END_FRAMES, last + END_FRAMES), 0), last)
        span = slice(first * config.f0_values_per_frame, (first + frames) * config.f0_values_per_frame)
        excitation = batch.harmonics(config, first, frames)
        heard = rendered(self._network, features[..., span], batch.timbre, excitation)
        wanted = samples[:, first * config.samples_per_frame : (first + frames) * config.samples_per_frame]
        for row, (item, start) in enumerate(zip(batch.items, batch.starts, strict=True)):
            begin = BORDER_FRAMES * (start + first > 0)
            end = frames - BORDER_FRAMES * (start + first + frames < item.example.frames)
            compared = slice(begin * config.samples_per_frame, end * config.samples_per_frame)
            yield heard[row : row + 1, compared], wanted[row : row + 1, compared]


FFT_SIZES = (128, 256, 512, 1024, 2048)
PHASE_FFT_SIZES = (256, 1024)
LOG_FLOOR = 3e-3
COMPRESSION = 0.3
"""The exponent that compresses magnitudes before phases are compared, so that quiet parts count."""
QUIET = 1e-6
"""The power below which a value of the spectrum is left nearly uncompressed."""


def waveform_losses(
    ours: torch.Tensor, wanted: torch.Tensor, config: ModelConfig
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the log-mel distance at two resolutions, and mean distances of magnitudes and with phases.

    Both inputs are [items, samples].
    """
    mel = sum(
        functional.l1_loss(log_mel(ours, bands, fft, hop, config), log_mel(wanted, bands, fft, hop, config))
        for bands, fft, hop in ((80, 1024, 256), (40, 512, 100))
    )
    magnitudes = [magnitude_distance(ours, wanted, fft) for fft in FFT_SIZES]
    phases = [phase_distance(ours, wanted, fft) for fft in PHASE_FFT_SIZES]
    return torch.as_tensor(mel), torch.stack(magnitudes).mean(), torch.stack(phases).mean()


def magnitude_distance(ours: torch.Tensor, wanted: torch.Tensor, fft: int) -> torch.Tensor:
    """Return the log-magnitude distance and spectral convergence."""
    scale = math.sqrt(fft) / 16
    left, right = magnitude(ours, fft, fft // 4), magnitude(wanted, fft, fft // 4)
    logs = (torch.log(left / scale + LOG_FLOOR) - torch.log(right / scale + LOG_FLOOR)).abs().mean()
    return torch.as_tensor(logs + 0.5 * (left - right).norm() / right.norm())


def phase_distance(ours: torch.Tensor, wanted: torch.Tensor, fft: int) -> torch.Tensor:
    """Return the distance of two complex spectra with compressed magnitudes, as a share of the target."""
    left, right = _compressed(ours, fft), _compressed(wanted, fft)
    return (left - right).abs().mean() / right.abs().mean()


def _compressed(samples: torch.Tensor, fft: int) -> torch.Tensor:
    """Return the spectrum as [..., 2], real and imaginary, with magnitudes to the power of `COMPRESSION`."""
    values = torch.view_as_real(spectrum(samples, fft, fft // 4))
    power = values.square().sum(-1, keepdim=True) / fft + QUIET
    return values / math.sqrt(fft) * power ** ((COMPRESSION - 1) / 2)
