"""Trains timing and melody: the phoneme BERT and the prosody predictor.

Durations, F0 and energy are compared with the teacher's, without generating audio.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as functional
from torch import nn

from engine.network.architecture import Network
from engine.network.ops.harmonic_source import VOICED_ABOVE_HZ
from engine.speech import Array
from engine.training.starter.batches import BucketSampler, TrainingBatch, TrainingItem, collate

DURATION_DROPOUT = 0.2
F0_LOSS_SHARE = 0.1
"""The weight of the F0 distance, which is in Hz, relative to the others."""
PITCH_LOSS_SHARE = 8.0
"""The weight of the log ratio of F0 where the teacher is voiced."""
PITCH_SQUARE_SHARE = 3.0
"""The weight of the squared ratio: few values, at the ends of voiced parts, dominate the mean square."""
LEVEL_LOSS_SHARE = 2.0
MIN_HZ = 30.0
"""The lower limit of F0 in ratios, so that values near zero have a finite one."""
INITIAL_F0_HZ = 100.0
INITIAL_F0_GAIN = 30.0


def prepare_predictor(network: Network) -> None:
    """Set initial values that suit durations of a few frames and F0 in Hz."""
    predictor = network.predictor
    with torch.no_grad():
        bias = predictor.duration_proj.linear_layer.bias
        bias.copy_(torch.linspace(3, -6, len(bias)))
        predictor.F0_proj.weight.mul_(INITIAL_F0_GAIN)
        predictor.F0_proj.bias.fill_(INITIAL_F0_HZ)
        predictor.N_proj.bias.fill_(1.0)


def text_modules(network: Network) -> dict[str, nn.Module]:
    """Return the modules that convert tokens to durations, F0 and energy."""
    return {"bert": network.bert, "bert_encoder": network.bert_encoder, "predictor": network.predictor}


class TextStage:
    """Trains PL-BERT and the predictor on durations, F0 and energy of whole utterances."""

    name = "text"

    def __init__(
        self, network: Network, items: Sequence[TrainingItem], held_out: Sequence[TrainingItem], batch_size: int
    ) -> None:
        self.modules = text_modules(network)
        self.rate_shares: dict[str, float] = {}
        self._network, self._held_out = network, held_out
        self._sampler, self._batch_size = BucketSampler(items), batch_size

    def loss(self, chance: random.Random) -> tuple[torch.Tensor, dict[str, float]]:
        """Return distances of durations (frames), F0 and energy."""
        batch = self._sampler.draw(chance, self._batch_size)
        logits, f0, energy = predicted(self._network, batch)
        counted, levels = duration_losses(logits, batch)
        wanted = batch.f0_hz()
        f0_distance = functional.smooth_l1_loss(f0, wanted)
        ratio = pitch_ratio(f0, wanted)[wanted > VOICED_ABOVE_HZ]
        pitch = ratio.abs().mean() + PITCH_SQUARE_SHARE * ratio.square().mean()
        energy_distance = functional.smooth_l1_loss(energy, batch.energy())
        total = counted + LEVEL_LOSS_SHARE * levels + energy_distance
        total = total + F0_LOSS_SHARE * f0_distance + PITCH_LOSS_SHARE * pitch
        measures = {"duration": counted, "f0_hz": f0_distance, "pitch": pitch, "energy": energy_distance}
        return total, {name: float(value.detach()) for name, value in measures.items()}

    def validate(self) -> dict[str, float]:
        """Return held-out means: see `text_figures`."""
        rows = [text_figures(self._network, item) for item in self._held_out]
        return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def text_figures(network: Network, item: TrainingItem) -> dict[str, float]:
    """Compare the text side with the teacher's on one utterance, with the teacher's durations for F0 and energy.

    Returns the mean error of whole-frame durations, F0 error where both are voiced (root mean square), share of values
    whose voicing is equal, mean energy error.
    """
    batch = collate([item])
    logits, f0, energy = predicted(network, batch)
    durations = torch.sigmoid(logits[0]).sum(-1).round().clamp(min=1)
    cents, voicing_agrees = voiced_cents(f0.detach().numpy(), batch.f0_hz().numpy())
    return {
        "duration_frames": float((durations - torch.from_numpy(item.example.durations_frames)).abs().mean()),
        "f0_cents": math.sqrt(np.square(cents).mean()) if len(cents) else 0.0,
        "voicing": float(voicing_agrees.mean()),
        "energy": float((energy - batch.energy()).abs().mean()),
    }


def predicted(network: Network, batch: TrainingBatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the outputs of Kokoro's `forward_with_tokens` for given durations: duration logits, F0 and energy.

    The durations are the teacher's.
    """
    predictor, prosody = network.predictor, batch.prosody
    hidden = network.bert(batch.tokens, attention_mask=(~batch.padding).int())
    text = network.bert_encoder(hidden).transpose(-1, -2)
    features = predictor.text_encoder(text, prosody, batch.lengths, batch.padding)
    packed = nn.utils.rnn.pack_padded_sequence(features, batch.lengths, batch_first=True, enforce_sorted=False)
    states, _ = nn.utils.rnn.pad_packed_sequence(predictor.lstm(packed)[0], batch_first=True)
    states = functional.dropout(states, DURATION_DROPOUT, predictor.training)
    f0, energy = predictor.F0Ntrain(batch.spread(features.transpose(1, 2)), prosody)
    return predictor.duration_proj(states), f0, energy


def pitch_ratio(ours_hz: torch.Tensor, wanted_hz: torch.Tensor) -> torch.Tensor:
    """Return the natural logarithm of the ratio of two curves of F0."""
    return torch.log(ours_hz.clamp(min=MIN_HZ)) - torch.log(wanted_hz.clamp(min=MIN_HZ))


def duration_losses(logits: torch.Tensor, batch: TrainingBatch) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the mean error of unrounded durations, in frames, and the cross entropy with the teacher's logits.

    Each logit is that of "longer than k frames".
    """
    counted, levels = [], []
    for row, item in enumerate(batch.items):
        wanted = torch.from_numpy(item.example.duration_logits).float().sigmoid()
        ours = logits[row, : len(wanted)]
        counted.append(functional.l1_loss(ours.sigmoid().sum(-1), wanted.sum(-1)))
        levels.append(functional.binary_cross_entropy_with_logits(ours, wanted))
    return torch.stack(counted).mean(), torch.stack(levels).mean()


CENTS_PER_OCTAVE = 1200


def voiced_cents(ours_hz: Array, wanted_hz: Array) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return differences in cents where both curves are voiced, and, for every value, whether its voicing agrees.

    Both curves have the same shape. A value is voiced where Kokoro's harmonic source takes it to be.
    """
    ours, wanted = ours_hz.astype(np.float64), wanted_hz.astype(np.float64)
    left, right = ours > VOICED_ABOVE_HZ, wanted > VOICED_ABOVE_HZ
    both = left & right
    return CENTS_PER_OCTAVE * np.log2(ours[both] / wanted[both]), left == right
