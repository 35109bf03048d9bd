"""How the sound is learnt: front, generator, then both together.

The decoder's front (everything before the generator) learns log-mel bands, one band to a channel, so that front and
generator can be trained apart and fit together at once. Durations, F0 and energy are the teacher's.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as functional
from torch import nn

from engine.network.architecture import Network
from engine.starter.batches import Batch, Item, Shelf, collate
from engine.starter.losses import waveform_losses
from engine.starter.spectra import MEL_FLOOR, log_mel, mel_cepstral_distortion_db

TARGET_FFT = 2048
TARGET_WINDOW = 1024
TARGET_SCALE = 2.0
"""Log-mel values above the floor are divided by this, so that they spread about one unit."""
F0_SCALE = 0.01
"""F0 comes in Hz; the convolution that reads it starts at this gain."""
INITIAL_LOG_MAGNITUDE = -4.0


def prepare_decoder(network: Network) -> None:
    """Set initial values that suit the sizes of F0 (Hz) and of a quiet spectrum."""
    decoder = network.decoder
    with torch.no_grad():
        decoder.F0_conv.weight_g.mul_(F0_SCALE)
        decoder.generator.conv_post.bias[: network.config.frequency_bins] = INITIAL_LOG_MAGNITUDE


def front_modules(network: Network) -> dict[str, nn.Module]:
    """The decoder without its generator, and the text encoder."""
    decoder = network.decoder
    names = ("encode", "decode", "F0_conv", "N_conv", "asr_res")
    return {"text_encoder": network.text_encoder} | {name: getattr(decoder, name) for name in names}


def generator_modules(network: Network) -> dict[str, nn.Module]:
    """The generator."""
    return {"generator": network.decoder.generator}


def front_features(network: Network, batch: Batch, timbre: torch.Tensor) -> torch.Tensor:
    """Input of the generator, [items, channels, 2 frames]: kokoro's `Decoder.forward` up to the generator."""
    decoder = network.decoder
    phonemes = batch.spread(network.text_encoder(batch.tokens, batch.lengths, batch.padding))
    f0 = decoder.F0_conv(batch.curves("f0_hz")[:, None])
    energy = decoder.N_conv(batch.curves("energy")[:, None])
    features: torch.Tensor = decoder.encode(torch.cat([phonemes, f0, energy], 1), timbre)
    residual = decoder.asr_res(phonemes)
    for block in decoder.decode:
        features = block(torch.cat([features, residual, f0, energy], 1), timbre)
    return features


def target_features(samples: torch.Tensor, network: Network) -> torch.Tensor:
    """The log-mel bands that the front learns, [items, channels, 2 frames]; zero is the floor."""
    config = network.config
    bands = config.istftnet.upsample_initial_channel
    hop = config.samples_per_f0_value
    spectrum = log_mel(samples, bands, TARGET_FFT, hop, config, TARGET_WINDOW)
    return (spectrum[..., :-1] - torch.log(torch.tensor(MEL_FLOOR))) / TARGET_SCALE


def front_loss(ours: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Distance of two sets of bands, of their slopes over frequency and over time."""
    flat = functional.l1_loss(ours, target)
    across = functional.l1_loss(ours.diff(dim=1), target.diff(dim=1))
    along = functional.l1_loss(ours.diff(dim=2), target.diff(dim=2))
    return TARGET_SCALE * (flat + across + 0.5 * along)


class FrontStage:
    """Text encoder and decoder front learn the bands; whole utterances, no generator."""

    name = "front"

    def __init__(
        self, network: Network, timbres: nn.Embedding, items: Sequence[Item], held_out: Sequence[Item], batch_size: int
    ) -> None:
        self.modules = front_modules(network)
        self.rate_shares: dict[str, float] = {}
        self._network, self._timbres, self._held_out = network, timbres, held_out
        self._shelf, self._batch_size = Shelf(items), batch_size

    def loss(self, chance: random.Random) -> tuple[torch.Tensor, dict[str, float]]:
        """Distance from the target bands."""
        ours, target = self._both(self._shelf.draw(chance, self._batch_size))
        return front_loss(ours, target), {"bands": TARGET_SCALE * float((ours - target).detach().abs().mean())}

    def validate(self) -> dict[str, float]:
        """Mean distance of the bands (natural log units) over held-out utterances, by voice."""
        by_voice: dict[str, list[float]] = {}
        for item in self._held_out:
            ours, target = self._both(collate([item]))
            distance = TARGET_SCALE * float((ours - target).abs().mean())
            by_voice.setdefault(f"bands_{item.voice}", []).append(distance)
        return {name: sum(values) / len(values) for name, values in by_voice.items()}

    def _both(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        samples = batch.samples(self._network.config.samples_per_frame)
        ours = front_features(self._network, batch, self._timbres(batch.voices))
        return ours, target_features(samples, self._network)


class SoundStage:
    """The generator learns sound: from the teacher's own bands, or, with the front, from text (`joint`)."""

    def __init__(
        self,
        network: Network,
        timbres: nn.Embedding,
        items: Sequence[Item],
        held_out: Sequence[Item],
        bandwidths_hz: Mapping[int, float],
        batch_size: int,
        segment_frames: int,
        joint: bool,
        front_share: float = 0.3,
    ) -> None:
        self.name = "joint" if joint else "generator"
        self.modules = generator_modules(network)
        self.rate_shares: dict[str, float] = {}
        if joint:
            self.modules |= front_modules(network) | {"timbres": timbres}
            self.rate_shares = dict.fromkeys(front_modules(network), front_share) | {"timbres": front_share}
        self._network, self._timbres, self._held_out, self._joint = network, timbres, held_out, joint
        self._shelf = Shelf(items, segment_frames)
        self._bandwidths_hz = bandwidths_hz
        self._batch_size, self._segment_frames = batch_size, segment_frames

    def loss(self, chance: random.Random) -> tuple[torch.Tensor, dict[str, float]]:
        """Spectral distances of a one-second piece of each utterance, and the front's own over the whole of it."""
        batch = self._shelf.draw(chance, self._batch_size)
        timbre = self._timbres(batch.voices)
        samples = batch.samples(self._network.config.samples_per_frame)
        target = target_features(samples, self._network)
        features = front_features(self._network, batch, timbre) if self._joint else target
        heard, wanted = self._piece(batch, features, samples, timbre, chance)
        bandwidths = torch.tensor([self._bandwidths_hz[item.voice] for item in batch.items])
        mel, stft = waveform_losses(heard, wanted, bandwidths, self._network.config)
        measures = {"mel": float(mel.detach()), "stft": float(stft.detach())}
        total = 2 * mel + stft
        if self._joint:
            total = total + front_loss(features, target)
            measures["bands"] = TARGET_SCALE * float((features - target).detach().abs().mean())
        return total, measures

    def validate(self) -> dict[str, float]:
        """Mean mel-cepstral distortion over held-out utterances, by voice, with the teacher's timing and curves."""
        by_voice: dict[str, list[float]] = {}
        for item in self._held_out:
            batch = collate([item])
            timbre = self._timbres(batch.voices)
            samples = batch.samples(self._network.config.samples_per_frame)
            features = (
                front_features(self._network, batch, timbre) if self._joint else target_features(samples, self._network)
            )
            heard = self._network.decoder.generator(features, timbre, batch.curves("f0_hz"))[0, 0]
            distortion = mel_cepstral_distortion_db(heard.numpy(), item.example.samples, self._network.config)
            by_voice.setdefault(f"mcd_{item.voice}", []).append(distortion)
        return {name: sum(values) / len(values) for name, values in by_voice.items()}

    def _piece(
        self,
        batch: Batch,
        features: torch.Tensor,
        samples: torch.Tensor,
        timbre: torch.Tensor,
        chance: random.Random,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """One random second of every utterance, from one frame on: as the generator makes it, and as it was spoken."""
        config = self._network.config
        first = chance.randint(0, batch.frames - self._segment_frames)
        span = slice(first * config.f0_values_per_frame, (first + self._segment_frames) * config.f0_values_per_frame)
        heard = self._network.decoder.generator(features[..., span], timbre, batch.curves("f0_hz")[:, span])[:, 0]
        begin, length = first * config.samples_per_frame, self._segment_frames * config.samples_per_frame
        return heard, samples[:, begin : begin + length]
