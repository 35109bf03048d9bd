"""How timing and melody are learnt: the phoneme BERT and the prosody predictor.

Durations, F0 and energy are compared with the teacher's, without making any sound.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch
import torch.nn.functional as functional
from torch import nn

from engine.network.architecture import Network
from engine.starter.batches import Batch, Item, Shelf, collate

DURATION_DROPOUT = 0.2
F0_LOSS_SHARE = 0.1
"""F0 is in Hz; its distance is scaled to the size of the others."""
VOICED_HZ = 10.0
"""Kokoro's source calls a value voiced above this."""
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


class TextStage:
    """PL-BERT and predictor learn durations, F0 and energy of whole utterances."""

    name = "text"

    def __init__(
        self,
        network: Network,
        prosodies: nn.Embedding,
        items: Sequence[Item],
        held_out: Sequence[Item],
        batch_size: int,
    ) -> None:
        self.modules = {
            "bert": network.bert,
            "bert_encoder": network.bert_encoder,
            "predictor": network.predictor,
            "prosodies": prosodies,
        }
        self.rate_shares: dict[str, float] = {}
        self._network, self._prosodies, self._held_out = network, prosodies, held_out
        self._shelf, self._batch_size = Shelf(items), batch_size

    def loss(self, chance: random.Random) -> tuple[torch.Tensor, dict[str, float]]:
        """Distances of durations (frames), F0 and energy."""
        batch = self._shelf.draw(chance, self._batch_size)
        logits, f0, energy = self._predict(batch)
        counted, levels = duration_losses(logits, batch)
        f0_distance = functional.smooth_l1_loss(f0, batch.curves("f0_hz"))
        energy_distance = functional.smooth_l1_loss(energy, batch.curves("energy"))
        total = counted + 2 * levels + F0_LOSS_SHARE * f0_distance + energy_distance
        return total, {"duration": float(counted.detach()), "energy": float(energy_distance.detach())}

    def validate(self) -> dict[str, float]:
        """Held-out means: duration error in frames, F0 error in Hz where voiced, share of values voiced correctly."""
        rows = [self._figures(collate([item])) for item in self._held_out]
        return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}

    def _figures(self, batch: Batch) -> dict[str, float]:
        logits, f0, energy = self._predict(batch)
        wanted = batch.curves("f0_hz")
        voiced = wanted > VOICED_HZ
        return {
            "duration_frames": float(duration_losses(logits, batch)[0]),
            "f0_hz": float((f0 - wanted).abs()[voiced].mean()),
            "voicing": float(((f0 > VOICED_HZ) == voiced).float().mean()),
            "energy": float((energy - batch.curves("energy")).abs().mean()),
        }

    def _predict(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Kokoro's `forward_with_tokens` up to F0 and energy, with the teacher's durations."""
        predictor, prosody = self._network.predictor, self._prosodies(batch.voices)
        hidden = self._network.bert(batch.tokens, attention_mask=(~batch.padding).int())
        text = self._network.bert_encoder(hidden).transpose(-1, -2)
        features = predictor.text_encoder(text, prosody, batch.lengths, batch.padding)
        packed = nn.utils.rnn.pack_padded_sequence(features, batch.lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(predictor.lstm(packed)[0], batch_first=True)
        states = functional.dropout(states, DURATION_DROPOUT, predictor.training)
        f0, energy = predictor.F0Ntrain(batch.spread(features.transpose(1, 2)), prosody)
        return predictor.duration_proj(states), f0, energy


def duration_losses(logits: torch.Tensor, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean duration error in frames, and the cross entropy of "longer than k frames"; logits [items, tokens, k]."""
    steps = torch.arange(logits.shape[-1])
    counted, levels = [], []
    for row, item in enumerate(batch.items):
        wanted = torch.from_numpy(item.example.durations_frames).clamp(max=len(steps))
        ours = logits[row, : len(wanted)]
        counted.append(functional.l1_loss(torch.sigmoid(ours).sum(-1), wanted.float()))
        longer = (steps < wanted[:, None]).float()
        levels.append(functional.binary_cross_entropy_with_logits(ours, longer))
    return torch.stack(counted).mean(), torch.stack(levels).mean()
