"""The single declaration of the stages: names, order, tensors, probes, tolerances.

Compiler, pipeline, validator, benchmark, doctor and panel iterate over `STAGES`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from engine.config import ModelConfig
from engine.speech import Array


class StagePlace(Enum):
    """The place where a stage runs: in a compiled module on the device, or in NumPy on the host."""

    DEVICE = "device"
    HOST = "host"


@dataclass(frozen=True)
class Size:
    """A fixed extent, by the name of the `ModelConfig` attribute that holds it."""

    name: str

    def extent(self, config: ModelConfig, lengths: Mapping[str, int]) -> int:
        """Return the extent for this architecture."""
        return int(getattr(config, self.name))


@dataclass(frozen=True)
class Axis:
    """A symbolic extent: `times` (the name of a `ModelConfig` attribute, or 1) times a length, `plus` a constant."""

    name: str
    times: str = ""
    plus: int = 0

    def factor(self, config: ModelConfig) -> int:
        """Return the factor of the length for this architecture."""
        return int(getattr(config, self.times)) if self.times else 1

    def extent(self, config: ModelConfig, lengths: Mapping[str, int]) -> int:
        """Return the extent for this architecture and these lengths."""
        return self.factor(config) * lengths[self.name] + self.plus


@dataclass(frozen=True)
class Tensor:
    """A named array between stages; `axes` come after the batch axis, which every tensor has."""

    name: str
    axes: tuple[Size | Axis, ...]
    dtype: str = "float32"
    unit: str = ""

    def shape(self, config: ModelConfig, batch: int, lengths: Mapping[str, int]) -> tuple[int, ...]:
        """Return the full shape, batch first."""
        return (batch, *(axis.extent(config, lengths) for axis in self.axes))


@dataclass(frozen=True)
class Probe:
    """An intermediate activation to inspect.

    `module` is a path in the kokoro module tree, where `*` stands for any one name. `time_axis` is the time axis of the
    value [batch, ...]. `fused` is true if compiled code never stores the value, because it is computed inside a kernel.
    """

    name: str
    title: str
    module: str
    time_axis: int = 2
    fused: bool = False

    def matches(self, path: str) -> bool:
        """Return whether this probe includes the module at this path in the kokoro module tree."""
        return re.fullmatch(re.escape(self.module).replace(r"\*", "[^.]+"), path) is not None


ProbeObserver = Callable[[str, Array], None]
"""A callback that receives a probed module's path in the kokoro module tree and its output, batch first."""


@dataclass(frozen=True)
class Stage:
    """One step from text to audio.

    `tolerance` is the minimum correlation with the reference, given the reference's inputs. `float16_tolerance` applies
    to libraries with float16 convolutions; it is None for a stage without convolutions in float16.
    """

    name: str
    title: str
    runs_on: StagePlace
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    tolerance: float = 0.99999
    probes: tuple[Probe, ...] = ()
    float16_tolerance: float | None = None


TOKENS = Axis("tokens")
FRAMES = Axis("frames")
F0_VALUES = Size("f0_values_per_frame")
STFT_FRAMES = Axis("frames", times="stft_frames_per_frame", plus=1)
SAMPLES = Axis("frames", times="samples_per_frame")

_tokens = Tensor("tokens", (TOKENS,), "int32")
_token_count = Tensor("token_count", (), "int32", "tokens")
_timbre = Tensor("timbre", (Size("style_dim"),))
_prosody = Tensor("prosody", (Size("style_dim"),))
_speed = Tensor("speed", ())
_text_features = Tensor("text_features", (Size("hidden_dim"), TOKENS))
_duration_logits = Tensor("duration_logits", (TOKENS, Size("max_dur")))
_prosody_features = Tensor("prosody_features", (TOKENS, Size("prosody_channels")))
_frame_token = Tensor("frame_token", (FRAMES,), "int32")
_frame_count = Tensor("frame_count", (), "int32", "frames")
_f0 = Tensor("f0", (FRAMES, F0_VALUES), unit="Hz")
_energy = Tensor("energy", (FRAMES, F0_VALUES))
_phoneme_features = Tensor("phoneme_features", (Size("hidden_dim"), TOKENS))
_source_noise = Tensor("source_noise", (FRAMES, Size("samples_per_frame"), Size("harmonic_count")))
_harmonics = Tensor("harmonics", (Size("harmonics_channels"), STFT_FRAMES))
_magnitude = Tensor("magnitude", (Size("frequency_bins"), STFT_FRAMES))
_phase = Tensor("phase", (Size("frequency_bins"), STFT_FRAMES), unit="rad")
_audio = Tensor("audio", (SAMPLES,))

STAGES: tuple[Stage, ...] = (
    Stage("bert", "Text features", StagePlace.DEVICE, (_tokens, _token_count), (_text_features,)),
    Stage(
        "duration",
        "Durations",
        StagePlace.DEVICE,
        (_text_features, _prosody, _token_count),
        (_duration_logits, _prosody_features),
        probes=(
            Probe("duration_encoder", "Duration encoder layers", "predictor.text_encoder.lstms.*", time_axis=1),
            Probe("duration_lstm", "Duration LSTM", "predictor.lstm", time_axis=1),
        ),
    ),
    Stage(
        "alignment",
        "Alignment",
        StagePlace.HOST,
        (_duration_logits, _token_count, _speed),
        (_frame_token, _frame_count),
        tolerance=1.0,
    ),
    Stage(
        "f0n",
        "Pitch and energy",
        StagePlace.DEVICE,
        (_prosody_features, _frame_token, _prosody, _frame_count),
        (_f0, _energy),
        probes=(
            Probe("aligned_lstm", "Aligned LSTM", "predictor.shared", time_axis=1),
            Probe("f0_block", "Pitch blocks", "predictor.F0.*"),
            Probe("energy_block", "Energy blocks", "predictor.N.*"),
        ),
    ),
    Stage(
        "text_encoder",
        "Phoneme features",
        StagePlace.DEVICE,
        (_tokens, _token_count),
        (_phoneme_features,),
        probes=(
            Probe("text_encoder_convolution", "Text encoder convolutions", "text_encoder.cnn.*"),
            Probe("text_encoder_lstm", "Text encoder LSTM", "text_encoder.lstm", time_axis=1),
        ),
    ),
    Stage(
        "source",
        "Harmonic source",
        StagePlace.DEVICE,
        (_f0, _source_noise, _frame_count),
        (_harmonics,),
        probes=(Probe("harmonic_source", "Harmonic source", "decoder.generator.m_source", time_axis=1, fused=True),),
    ),
    Stage(
        "decoder",
        "Decoder",
        StagePlace.DEVICE,
        (_phoneme_features, _frame_token, _f0, _energy, _timbre, _frame_count, _harmonics),
        (_magnitude, _phase),
        probes=(
            Probe("encode", "Decoder entry", "decoder.encode"),
            Probe("decode", "Decoder blocks", "decoder.decode.*"),
            Probe("noise", "Source branches", "decoder.generator.noise_res.*"),
            Probe("upsample", "Upsampling levels", "decoder.generator.ups.*"),
            Probe("resblock", "Residual blocks", "decoder.generator.resblocks.*"),
            Probe("conv_post", "Last convolution", "decoder.generator.conv_post"),
        ),
        float16_tolerance=0.9999,
    ),
    Stage("istft", "Waveform", StagePlace.DEVICE, (_magnitude, _phase, _frame_count), (_audio,)),
)

STAGE_NAMES: tuple[str, ...] = tuple(stage.name for stage in STAGES)
DEVICE_STAGES: tuple[Stage, ...] = tuple(stage for stage in STAGES if stage.runs_on is StagePlace.DEVICE)
DEVICE_STAGE_NAMES: tuple[str, ...] = tuple(stage.name for stage in DEVICE_STAGES)


def stage_named(name: str) -> Stage:
    """Return the stage of this name. Raises `KeyError` for any other."""
    return {stage.name: stage for stage in STAGES}[name]


def declaration_fingerprint() -> str:
    """Return a hash of the interface of all stages; compiled modules with a different one are stale."""
    interface = [(stage.name, stage.inputs, stage.outputs) for stage in STAGES]
    return hashlib.sha256(repr(interface).encode()).hexdigest()[:16]
