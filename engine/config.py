"""The architecture of one model and every rate derived from it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from engine.errors import DamagedFile

SAMPLE_RATE_HZ = 24_000
"""The generator's built-in sample rate, which no config file states."""
HARMONIC_COUNT = 9
"""The fundamental and eight overtones of the generator's sine source."""
F0_VALUES_PER_FRAME = 2
"""F0 and energy values per frame: both are predicted at twice the frame rate."""
FRAMES_PER_TOKEN = 3
"""The number of frames per token of speech: the middle of the usual 2 to 4."""


@dataclass(frozen=True)
class BertConfig:
    """Sizes of the phoneme-level ALBERT; names as in Kokoro's `plbert` section."""

    hidden_size: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    num_hidden_layers: int
    embedding_size: int = 128
    dropout: float = 0.1


@dataclass(frozen=True)
class GeneratorConfig:
    """Sizes of the decoder and its iSTFT generator; names as in Kokoro's `istftnet` section.

    `decoder_dim` and `asr_res_dim` are constants in the kokoro package (1024 and 64); a narrower model states them.
    """

    upsample_kernel_sizes: tuple[int, ...]
    upsample_rates: tuple[int, ...]
    gen_istft_hop_size: int
    gen_istft_n_fft: int
    resblock_dilation_sizes: tuple[tuple[int, ...], ...]
    resblock_kernel_sizes: tuple[int, ...]
    upsample_initial_channel: int
    decoder_dim: int = 1024
    asr_res_dim: int = 64


@dataclass(frozen=True)
class ModelConfig:
    """A model's architecture; two models with equal configs share every compiled module."""

    hidden_dim: int
    style_dim: int
    n_layer: int
    n_token: int
    max_dur: int
    n_mels: int
    dropout: float
    text_encoder_kernel_size: int
    plbert: BertConfig
    istftnet: GeneratorConfig
    vocab: Mapping[str, int]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ModelConfig:
        """Build from the content of a Kokoro `config.json`; keys this project does not use are ignored."""
        known = {field.name: values[field.name] for field in fields(cls) if field.name in values}
        known["plbert"] = BertConfig(**_only(BertConfig, values["plbert"]))
        known["istftnet"] = GeneratorConfig(**_only(GeneratorConfig, values["istftnet"]))
        return cls(**known)

    @classmethod
    def load(cls, path: Path) -> ModelConfig:
        """Read a `config.json`. Raises `DamagedFile` if it is invalid."""
        try:
            return cls.from_dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DamagedFile(
                path,
                f"The model description {path} can’t be read.",
                "Restore the file or download the model again.",
            ) from error

    def to_dict(self) -> dict[str, Any]:
        """Return plain values in the form of a Kokoro `config.json`."""
        return asdict(self)

    def fingerprint(self) -> str:
        """Return a hash of everything that affects a compiled module; the vocabulary does not."""
        values = {name: value for name, value in self.to_dict().items() if name not in ("vocab", "dropout", "n_mels")}
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def samples_per_f0_value(self) -> int:
        """Audio samples between two F0 values."""
        return math.prod(self.istftnet.upsample_rates) * self.istftnet.gen_istft_hop_size

    @property
    def samples_per_frame(self) -> int:
        """Audio samples in one frame of the alignment."""
        return F0_VALUES_PER_FRAME * self.samples_per_f0_value

    @property
    def stft_frames_per_frame(self) -> int:
        """Columns of the generator's STFT in one frame of the alignment (plus one last column in all)."""
        return F0_VALUES_PER_FRAME * math.prod(self.istftnet.upsample_rates)

    @property
    def frequency_bins(self) -> int:
        """Bins of the generator's STFT."""
        return self.istftnet.gen_istft_n_fft // 2 + 1

    @property
    def harmonics_channels(self) -> int:
        """Magnitudes and phases of the source's STFT, stacked."""
        return 2 * self.frequency_bins

    @property
    def prosody_channels(self) -> int:
        """Channels of the prosody features: text features concatenated with the style."""
        return self.hidden_dim + self.style_dim

    @property
    def harmonic_count(self) -> int:
        """Sines in the source."""
        return HARMONIC_COUNT

    @property
    def f0_values_per_frame(self) -> int:
        """F0 values in one frame, and as many energy values."""
        return F0_VALUES_PER_FRAME

    @property
    def sample_rate_hz(self) -> int:
        """Samples per second of the audio."""
        return SAMPLE_RATE_HZ

    @property
    def frames_per_second(self) -> float:
        """Frames of the alignment in one second of audio."""
        return SAMPLE_RATE_HZ / self.samples_per_frame

    @property
    def token_limit(self) -> int:
        """The maximum number of tokens, including the two border tokens."""
        return self.plbert.max_position_embeddings

    @property
    def phoneme_limit(self) -> int:
        """The maximum number of phonemes: the token limit less the two border tokens."""
        return self.token_limit - 2


def _only(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    known = {field.name for field in fields(kind)}
    return {name: _frozen(value) for name, value in values.items() if name in known}


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value
