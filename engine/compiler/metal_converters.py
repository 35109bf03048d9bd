"""Converters of operators that need several kernels on Apple's GPUs, or int32 indices where a CPU has int64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from tvm import relax

from engine.compiler.kernel_calls import Call, shape_of, simplified
from engine.compiler.kernels.metal import harmonic_source as source
from engine.compiler.kernels.metal import inverse_stft as inverse


def _harmonic_source(call: Call) -> relax.Var:
    """Three kernels: phases, waveform, spectrum."""
    f0, noise, lengths, weight, bias, n_fft, hop = call.arguments
    batch, frames, samples, harmonics = shape_of(noise)
    values = shape_of(f0)[2]
    count = simplified(frames * values)
    phases = call.kernel(
        source.phases, (values, harmonics), [f0, lengths], [batch, 2 * harmonics, count], dtype="uint32"
    )
    signal = call.kernel(
        source.waveform,
        (values, samples, harmonics),
        [f0, noise, phases, lengths, weight, bias],
        [batch, simplified(frames * samples)],
    )
    shape = [batch, n_fft + 2, simplified(samples // hop * frames + 1)]
    return call.kernel(source.spectrum, (n_fft, hop, samples), [signal, lengths], shape)


def _inverse_stft(call: Call) -> relax.Var:
    magnitude, phase, lengths, n_fft, hop, samples = call.arguments
    batch, bins, columns = shape_of(magnitude)
    spectrum = call.kernel(inverse.rectangular, (n_fft,), [magnitude, phase], [batch, 2 * bins, columns])
    shape = [batch, simplified((columns - 1) * hop)]
    return call.kernel(inverse.overlap_add, (n_fft, hop, samples), [spectrum, lengths], shape)


def _cast(call: Call) -> relax.Var:
    """A type conversion; int32 stays int32 instead of int64, because indices in kernels are int32."""
    x, dtype, *_ = call.arguments
    if dtype == torch.int64 and x.ty.dtype.dtype == "int32":
        return x
    return call.emit(relax.op.astype(x, str(dtype).removeprefix("torch.")))


def _arange(call: Call) -> relax.Var:
    end, *_ = call.arguments
    return call.emit(relax.op.arange(0, end, 1, "int32"))


def _select(call: Call) -> relax.Var:
    x, axis, index = call.arguments
    return call.emit(relax.op.take(x, relax.const(index, "int32"), axis=axis, mode="clip"))


METAL_CONVERTERS: Mapping[str, Callable[[Call], relax.Expr]] = MappingProxyType(
    {
        "harmonic_source.default": _harmonic_source,
        "inverse_stft.default": _inverse_stft,
        "to.dtype": _cast,
        "arange.default": _arange,
        "select.int": _select,
    }
)
