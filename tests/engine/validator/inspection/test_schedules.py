"""How kernels compute, and what of it is lost without a schedule."""

import numpy as np
import pytest
from tvm import tirx
from tvm.tirx import ForKind
from tvm_ffi import structural_walk

from engine.kernels.cpu.conv_choice import LIGHT_WINOGRADS, WINOGRADS
from engine.kernels.winograd import Winograd
from engine.stages import stage_named
from engine.validator.inspection.inspector import Inspector
from engine.validator.inspection.schedules import amplification, plain_loops, schedule_words
from tests.engine.kernels.cpu.running import built


def float32_error(winograd: Winograd) -> float:
    """The rms error of a convolution in float32 by F(m, r), relative to its outputs, on random numbers."""
    matrices = (winograd.output_matrix, winograd.weight_matrix, winograd.input_matrix)
    outputs, weights, inputs = (np.array(matrix, np.float64).astype(np.float32) for matrix in matrices)
    random = np.random.default_rng(0)
    taps = random.standard_normal((2000, winograd.taps), np.float32)
    samples = random.standard_normal((2000, winograd.samples), np.float32)
    found = ((taps @ weights.T) * (samples @ inputs.T)) @ outputs.T
    windows = np.lib.stride_tricks.sliding_window_view(samples.astype(np.float64), winograd.taps, axis=1)
    exact = np.einsum("bot,bt->bo", windows, taps.astype(np.float64))
    return float(np.sqrt(np.mean((found - exact) ** 2) / np.mean(exact**2)))


@pytest.mark.parametrize("winograd", sorted({*WINOGRADS, *LIGHT_WINOGRADS}, key=str), ids=str)
def test_the_amplification_explains_what_winograd_loses(winograd: Winograd) -> None:
    half_ulp = 2.0**-24
    assert 0.1 < float32_error(winograd) / (amplification(winograd) * half_ulp) < 3


def test_a_direct_convolution_amplifies_nothing() -> None:
    assert amplification(None) == 1


def test_plain_loops_compute_the_same(inspector: Inspector) -> None:
    kernel = inspector.kernels(stage_named("text_encoder")).graph.scheduled["layer_norm"]
    plain = plain_loops(kernel)
    kinds: list[object] = []
    structural_walk(plain.body, (tirx.For, lambda loop: kinds.append(loop.kind)))
    assert set(kinds) == {ForKind.SERIAL}
    x = np.random.default_rng(0).standard_normal((9, 128), np.float32)
    scale = np.linspace(0.5, 1.5, 128, dtype=np.float32)
    results = [built(function)(x.shape, x, scale, scale) for function in (kernel, plain)]
    np.testing.assert_allclose(*results, rtol=1e-6)


def test_a_schedule_is_told_in_words(inspector: Inspector) -> None:
    kernels = inspector.kernels(stage_named("text_encoder"))
    words = {
        call.kernel: schedule_words(kernels.graph.scheduled[call.kernel], algorithm)
        for call, algorithm in zip(kernels.graph.calls, kernels.algorithms, strict=True)
    }
    assert words["conv1d"].startswith("hand-written; Winograd F(")
    assert words["recurrence"].startswith("hand-written; loops parallel")
    assert any(text.startswith("fused loops") for text in words.values())
    assert schedule_words(None, None) == "a function outside of the module"
