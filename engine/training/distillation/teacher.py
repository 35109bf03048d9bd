"""The teacher: the frozen network's text side over padded batches, with any of its LSTMs replaceable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from kokoro.modules import AdaLayerNorm
from torch import Tensor, nn

from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.models.checkpoints import Checkpoint
from engine.models.voices.packs import Voice
from engine.network.architecture import Network
from engine.network.exportable.blocks import bidirectional_lstm, zero_beyond
from engine.network.random_weights import network_with
from engine.runtime.pipeline import encode
from engine.text.languages import language_of
from engine.training.distillation.shards import Example

ENCODER_LSTMS = "predictor.text_encoder.lstms"
"""The path of the duration encoder's layers, some of which are LSTMs."""
DURATION_LSTM = "predictor.lstm"
FRAME_LSTM = "predictor.shared"
"""The path of the LSTM over frames, which leads to pitch and energy."""
TEXT_LSTM = "text_encoder.lstm"
"""The path of the text encoder's LSTM, which is voice-independent."""

Run = Callable[[str, Tensor, Tensor], Tensor]
"""Replaces the LSTM of a path: maps its input [batch, time, channels] and int32 lengths to its output."""


@dataclass(frozen=True)
class TeacherBatch:
    """Examples in a batch, each in a voice: `features` [batch, tokens, hidden_dim], `styles` [batch, style_dim].

    `tokens` [batch, tokens] are numbers of symbols, 0 beyond the int32 `lengths` [batch].
    """

    tokens: Tensor
    features: Tensor
    styles: Tensor
    lengths: Tensor


class DistillationTeacher:
    """A network with its voices, whose parameters never change.

    Raises `InvalidRequest` for a model without an English voice.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.config: ModelConfig = checkpoint.config
        self.identity = checkpoint.identity
        self.voices: Mapping[str, Voice] = {
            name: voice for name, voice in checkpoint.voices.items() if language_of(voice.info.language).english
        }
        if not self.voices:
            raise InvalidRequest(f"{checkpoint.name} has no English voice to distill.", "Choose a different model.")
        self.network: Network = network_with(checkpoint.config, checkpoint.load_weights())

    @property
    def duration_lstms(self) -> tuple[str, ...]:
        """The paths of the LSTMs that lead to durations, in order."""
        layers = self.network.get_submodule(ENCODER_LSTMS).named_children()
        inner = [f"{ENCODER_LSTMS}.{name}" for name, layer in layers if isinstance(layer, nn.LSTM)]
        return (*inner, DURATION_LSTM)

    @property
    def lstms(self) -> tuple[str, ...]:
        """The paths of all LSTMs."""
        return (*self.duration_lstms, FRAME_LSTM, TEXT_LSTM)

    def lstm(self, path: str) -> nn.LSTM:
        """Return the LSTM of this path in the kokoro module tree."""
        module = self.network.get_submodule(path)
        assert isinstance(module, nn.LSTM)
        return module

    def speakers(self, language: str) -> list[str]:
        """Return the names of the voices of a language, by its tag."""
        return [name for name, voice in self.voices.items() if voice.info.language == language]

    @torch.no_grad()
    def features(self, phonemes: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the features of phonemes from the network's Transformer, [tokens, hidden_dim].

        They are computed in bfloat16, four times as fast: the LSTMs' outputs are computed from this very result.
        """
        tokens = torch.from_numpy(encode(phonemes, self.config.vocab)).long()[None]
        with torch.autocast("cpu", torch.bfloat16):
            hidden = self.network.bert(tokens, attention_mask=torch.ones_like(tokens))
            features: np.ndarray[Any, np.dtype[np.float32]] = self.network.bert_encoder(hidden)[0].float().numpy()
        return features

    def batch(self, examples: Sequence[Example], voices: Sequence[str]) -> TeacherBatch:
        """Return the examples as a batch, each in the voice at the same index."""
        tokens = [torch.from_numpy(encode(example.phonemes, self.config.vocab)).long() for example in examples]
        features = [torch.from_numpy(example.features).float() for example in examples]
        styles = [self._style(voice, example) for voice, example in zip(voices, examples, strict=True)]
        pad = nn.utils.rnn.pad_sequence
        lengths = torch.tensor([len(row) for row in tokens], dtype=torch.int32)
        return TeacherBatch(
            pad(tokens, batch_first=True), pad(features, batch_first=True), torch.stack(styles), lengths
        )

    def run_lstm(self, path: str, x: Tensor, lengths: Tensor) -> Tensor:
        """Return the output of the LSTM itself; it has no gradient."""
        return bidirectional_lstm(self.lstm(path), x, lengths)

    def encoded(self, batch: TeacherBatch, run: Run) -> Tensor:
        """Return prosody features [batch, tokens, prosody_channels]."""
        style = batch.styles[:, None].expand(-1, batch.features.shape[1], -1)
        x = torch.cat([batch.features, style], dim=2)
        for index, block in enumerate(self.network.predictor.text_encoder.lstms):
            if isinstance(block, AdaLayerNorm):
                x = torch.cat([block(x, batch.styles), style], dim=2)
                x = zero_beyond(x, batch.lengths, axis=1)
            else:
                x = run(f"{ENCODER_LSTMS}.{index}", x, batch.lengths)
        return x

    def duration_logits(self, hidden: Tensor) -> Tensor:
        """Return logits [batch, tokens, max_dur] from the output of `predictor.lstm` or its student."""
        logits: Tensor = self.network.predictor.duration_proj(hidden)
        return logits

    def curves(self, hidden: Tensor, styles: Tensor) -> tuple[Tensor, Tensor]:
        """Return pitch in Hz and energy, [batch, 2 * frames], from the output of `predictor.shared` or its student.

        The input has no padding.
        """
        predictor = self.network.predictor
        pitch = energy = hidden.transpose(1, 2)
        for block in predictor.F0:
            pitch = block(pitch, styles)
        for block in predictor.N:
            energy = block(energy, styles)
        return predictor.F0_proj(pitch)[:, 0], predictor.N_proj(energy)[:, 0]

    def phoneme_inputs(self, batch: TeacherBatch) -> Tensor:
        """Return the input [batch, tokens, hidden_dim] of the text encoder's LSTM."""
        encoder = self.network.text_encoder
        x = zero_beyond(encoder.embedding(batch.tokens).transpose(1, 2), batch.lengths, axis=2)
        for layer in encoder.cnn:
            x = zero_beyond(layer(x), batch.lengths, axis=2)
        return x.transpose(1, 2)

    def _style(self, voice: str, example: Example) -> Tensor:
        return torch.from_numpy(self.voices[voice].style(len(example.phonemes)).prosody.copy())


def frames_per_token(logits: Tensor, lengths: Tensor) -> Tensor:
    """Return rounded durations [batch, tokens], at least 1, and 0 beyond the lengths."""
    frames = torch.sigmoid(logits).sum(dim=2).round().clamp(min=1).long()
    return zero_beyond(frames, lengths, axis=1)


def on_frames(features: Tensor, frames: Tensor) -> tuple[Tensor, Tensor]:
    """Repeat features [batch, tokens, channels] for each token's frames, padded with zeros.

    Also return the frame counts.
    """
    rows = [torch.repeat_interleave(row, count, dim=0) for row, count in zip(features, frames, strict=True)]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True), frames.sum(dim=1, dtype=torch.int32)
