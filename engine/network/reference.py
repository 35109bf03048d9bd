"""The reference: kokoro's own modules, cut into stages and run unpadded on one utterance, with the noise injected.

Upstream's names and ours: `d_en` text_features, `s` prosody, `d` prosody_features, `pred_aln_trg` frame_token, `en`
prosody features per frame, `F0` and `N` f0 and energy, `t_en` phoneme_features, `asr` phoneme features per frame, `har`
harmonics.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence
from torch.overrides import TorchFunctionMode

from engine.config import F0_VALUES_PER_FRAME
from engine.network.architecture import Network
from engine.network.ops.harmonic_source import exact_waveform, spectrum
from engine.speech import Array
from engine.stages import Probe, ProbeObserver, stage_named


class Arithmetic(Enum):
    """The arithmetic in which the reference computes.

    `FLOAT64` is the reference: the prosody in float64, and the source by the exact formula under the phase contract of
    `engine.network.ops.harmonic_source`. The phase accumulates the rounding errors of the pitch over the whole
    utterance; the other stages amplify no rounding and stay in float32, except the decoder of `FEW_FRAMES`. `UPSTREAM`
    is kokoro's own float32 throughout, whose distance from the reference is the noise floor.
    """

    FLOAT64 = "float64"
    UPSTREAM = "upstream"


FEW_FRAMES = 4
"""Up to this many frames, the reference's decoder is float64 too.

Its norms, over two frames, amplify the small differences between them: the correlation of float32 with the exact
magnitude is then 1 - 6e-6, and 1 - 1e-12 with four frames or more.
"""
_PROSODY_STAGES = ("bert", "duration", "f0n")
"""The stages that give durations, pitch and energy."""
_PROSODY_MODULES = ("bert", "bert_encoder", "predictor")
"""The modules of these stages, by name in the kokoro module tree."""


class Reference:
    """kokoro's network run stage by stage; batches of one, no padding.

    `network` is not modified: float64 stages run in a copy, made with the weights at the first run.
    """

    def __init__(self, network: Network, arithmetic: Arithmetic = Arithmetic.FLOAT64) -> None:
        self.config = network.config
        self.arithmetic = arithmetic
        self._network = network
        self._stages: dict[str, Callable[..., tuple[Tensor | Array, ...]]] = {
            "bert": self._bert,
            "duration": self._duration,
            "f0n": self._f0n,
            "text_encoder": self._text_encoder,
            "source": self._source,
            "decoder": self._decoder,
            "istft": self._istft,
        }

    def run_stage(
        self, stage_name: str, inputs: Mapping[str, Array], observe: ProbeObserver | None = None
    ) -> dict[str, Array]:
        """The stage's declared outputs from its declared inputs, batch of one without padding.

        `observe` gets the outputs of the modules that the stage declares as probes, in the order they run.
        """
        stage = stage_named(stage_name)
        values = [torch.tensor(inputs[tensor.name]) for tensor in stage.inputs]
        with torch.no_grad(), _observed(self._modules(stage_name, values), stage.probes, observe):
            outputs = self.compute(stage_name, *values)
        return {
            tensor.name: np.ascontiguousarray(output, dtype=tensor.dtype)
            for tensor, output in zip(stage.outputs, outputs, strict=True)
        }

    def compute(self, stage_name: str, *values: Tensor) -> tuple[Tensor | Array, ...]:
        """The stage's outputs in declared order from its inputs in declared order, as torch computes them.

        With `UPSTREAM` arithmetic they are tensors of the declared types, and can be traced for any length above one.
        """
        stage = self._stages[stage_name]
        if not self._is_float64(stage_name, values):
            return stage(*values)
        with _Float64():
            return stage(*(value.double() if value.is_floating_point() else value for value in values))

    def arithmetic_of(self, stage_name: str, inputs: Mapping[str, Array]) -> Arithmetic:
        """The arithmetic that these inputs of a stage meet; where that of two references agrees, they do the same."""
        values = [inputs[tensor.name] for tensor in stage_named(stage_name).inputs]
        exact = stage_name == "source" or self._is_float64(stage_name, values)
        return self.arithmetic if exact else Arithmetic.UPSTREAM

    def _is_float64(self, stage_name: str, values: Sequence[Tensor | Array]) -> bool:
        if self.arithmetic is Arithmetic.UPSTREAM:
            return False
        return stage_name in _PROSODY_STAGES or (stage_name == "decoder" and _frame_count(values) <= FEW_FRAMES)

    def _modules(self, stage_name: str, values: Sequence[Tensor]) -> nn.Module:
        """The modules that compute a stage from these inputs, by kokoro's names."""
        if not self._is_float64(stage_name, values):
            return self._network
        modules: nn.Module = self._prosody_modules if stage_name in _PROSODY_STAGES else self._float64_decoder
        return modules

    @cached_property
    def _float64_decoder(self) -> nn.ModuleDict:
        return nn.ModuleDict({"decoder": copy.deepcopy(self._network.decoder).double()})

    @cached_property
    def _prosody_modules(self) -> Any:
        """The modules that predict prosody, by kokoro's names, in this reference's arithmetic."""
        if self.arithmetic is Arithmetic.UPSTREAM:
            return self._network
        return nn.ModuleDict({name: copy.deepcopy(getattr(self._network, name)) for name in _PROSODY_MODULES}).double()

    def _bert(self, tokens: Tensor, token_count: Tensor) -> tuple[Tensor, ...]:
        hidden = self._prosody_modules.bert(tokens, attention_mask=torch.ones_like(tokens))
        return (self._prosody_modules.bert_encoder(hidden).transpose(1, 2),)

    def _duration(self, text_features: Tensor, prosody: Tensor, token_count: Tensor) -> tuple[Tensor, ...]:
        predictor = self._prosody_modules.predictor
        d = predictor.text_encoder(text_features, prosody, token_count.long(), _no_padding(text_features[:, 0]))
        x, _ = predictor.lstm(d)
        return predictor.duration_proj(x), d

    def _f0n(
        self, prosody_features: Tensor, frame_token: Tensor, prosody: Tensor, frame_count: Tensor
    ) -> tuple[Tensor, ...]:
        predictor = self._prosody_modules.predictor
        en = prosody_features[:, frame_token[0].long()].transpose(1, 2)
        with _norm_of(frame_token):
            curves = predictor.F0Ntrain(en, prosody)
        return tuple(curve.reshape(1, -1, F0_VALUES_PER_FRAME) for curve in curves)

    def _text_encoder(self, tokens: Tensor, token_count: Tensor) -> tuple[Tensor, ...]:
        encoder: Any = self._network.text_encoder
        return (encoder(tokens, token_count.long(), _no_padding(tokens)),)

    def _source(self, f0: Tensor, source_noise: Tensor, frame_count: Tensor) -> tuple[Tensor | Array, ...]:
        generator: Any = self._network.decoder.generator
        curve = generator.f0_upsamp(f0.reshape(1, 1, -1)).transpose(1, 2)
        with InjectedNoise(source_noise.flatten(1, 2)), self._exact_source(f0, source_noise):
            waveform, _, _ = generator.m_source(curve)
        if self.arithmetic is Arithmetic.UPSTREAM:
            return (torch.cat(generator.stft.transform(waveform[:, :, 0]), dim=1),)
        sizes = self.config.istftnet
        return (spectrum(waveform[0, :, 0].numpy(), sizes.gen_istft_n_fft, sizes.gen_istft_hop_size)[None],)

    def _decoder(
        self,
        phoneme_features: Tensor,
        frame_token: Tensor,
        f0: Tensor,
        energy: Tensor,
        timbre: Tensor,
        frame_count: Tensor,
        harmonics: Tensor,
    ) -> tuple[Tensor, ...]:
        decoder: Any = (self._float64_decoder if harmonics.dtype == torch.float64 else self._network).decoder
        asr = phoneme_features[:, :, frame_token[0].long()]
        border = SpectrumBorder(*harmonics.split(self.config.frequency_bins, dim=1))
        with _replaced(decoder.generator, m_source=NoSource(), stft=border), _norm_of(frame_token):
            decoder(asr, f0.flatten(1), energy.flatten(1), timbre)
        return border.given

    def _istft(self, magnitude: Tensor, phase: Tensor, frame_count: Tensor) -> tuple[Tensor, ...]:
        generator: Any = self._network.decoder.generator
        return (generator.stft.inverse(magnitude, phase)[:, 0],)

    @contextmanager
    def _exact_source(self, f0: Tensor, noise: Tensor) -> Iterator[None]:
        """Make `m_source` return the exact waveform, unless the arithmetic is `UPSTREAM`."""
        if self.arithmetic is Arithmetic.UPSTREAM:
            yield
            return
        source: Any = self._network.decoder.generator.m_source
        merging = source.l_linear.weight.numpy(), source.l_linear.bias.numpy()
        exact = torch.from_numpy(exact_waveform(f0[0].numpy(), noise[0].numpy(), *merging))[None, :, None]
        handle = source.register_forward_hook(lambda _, __, output: (exact, *output[1:]), prepend=True)
        try:
            yield
        finally:
            handle.remove()


class InjectedNoise(TorchFunctionMode):
    """While it is active, kokoro's source reads this noise [1, samples, harmonics] instead of drawing its own.

    The random initial phases become 0; they never reach a sample. Other threads are not affected.
    """

    def __init__(self, noise: Tensor) -> None:
        super().__init__()
        self._noise = noise

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Answer torch's random functions; pass on every other."""
        if func is torch.randn_like:
            return self._noise if args[0].shape == self._noise.shape else torch.zeros_like(args[0])
        if func is torch.rand:
            return torch.zeros(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


class _Float64(TorchFunctionMode):
    """While it is active, kokoro's modules never use torch's default dtype.

    Otherwise they would use it for the zeros that they write into, and for the root of an integer.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        keywords = kwargs or {}
        if func is torch.zeros:
            return func(*args, **{"dtype": torch.float64, **keywords})
        if func is torch.rsqrt:
            return func(args[0].double())
        return func(*args, **keywords)


class _SingleStepNorm(TorchFunctionMode):
    """While it is active, an instance norm accepts a single step, which torch's Python wrapper refuses.

    The formula holds: the step is its own mean, so the normalized value is 0.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        keywords = kwargs or {}
        if func is nn.functional.instance_norm and args[0].shape[2] == 1:
            return keywords["bias"][None, :, None].expand_as(args[0])
        return func(*args, **keywords)


class SpectrumBorder(nn.Module):
    """A replacement for the generator's STFT: returns the spectrum `source`, keeps the waveform's as `given`."""

    def __init__(self, magnitude: Tensor, phase: Tensor) -> None:
        super().__init__()
        self.source = magnitude, phase
        self.given: tuple[Tensor, ...] = ()

    def transform(self, waveform: Tensor) -> tuple[Tensor, Tensor]:
        """The spectrum of the source; the waveform is ignored."""
        return self.source

    def inverse(self, magnitude: Tensor, phase: Tensor) -> Tensor:
        """Keep the generator's spectrum; no waveform is needed."""
        self.given = magnitude, phase
        return magnitude


class NoSource(nn.Module):
    """A replacement for the generator's source, which is not needed because its spectrum is given."""

    def forward(self, curve: Tensor) -> tuple[Tensor, None, None]:
        """Return the curve; the result is never used."""
        return curve, None, None


@contextmanager
def _replaced(module: nn.Module, **children: nn.Module) -> Iterator[None]:
    """Replace a module's own children while the context lasts."""
    own = {name: getattr(module, name) for name in children}
    try:
        for name, child in children.items():
            setattr(module, name, child)
        yield
    finally:
        for name, child in own.items():
            setattr(module, name, child)


@contextmanager
def _observed(modules: nn.Module, probes: tuple[Probe, ...], observe: ProbeObserver | None) -> Iterator[None]:
    """Report the output of every probed module, while the context lasts."""
    with ExitStack() as handles:
        for path, module in modules.named_modules() if observe else ():
            if observe and any(probe.matches(path) for probe in probes):
                handles.callback(module.register_forward_hook(_reporting(path, observe)).remove)
        yield


def _reporting(path: str, observe: ProbeObserver) -> Callable[..., None]:
    return lambda _, __, output: observe(path, _first_array(output))


def _first_array(output: Any) -> NDArray[np.floating]:
    """A copy of the first tensor of a module's output; a packed sequence of one as a batch of one.

    It must be a copy, because kokoro's generator adds to the output of a level's first residual block in place.
    """
    if isinstance(output, PackedSequence):
        return np.asarray(output.data[None]).copy()
    return np.asarray(output).copy() if isinstance(output, Tensor) else _first_array(output[0])


def _frame_count(values: Sequence[Tensor | Array]) -> int:
    """The number of frames of the decoder's inputs, the second of which is `frame_token` [1, frames]."""
    return values[1].shape[1]


def _no_padding(tokens: Tensor) -> Tensor:
    """Upstream's padding mask, in the shape of `tokens` [1, tokens], for an utterance without padding."""
    return torch.zeros_like(tokens, dtype=torch.bool)


def _norm_of(frame_token: Tensor) -> AbstractContextManager[Any]:
    """The context that instance norms need for frames [1, frames]: none, unless there is only one frame."""
    return _SingleStepNorm() if frame_token.shape[1] == 1 else nullcontext()
