import numpy as np
from tvm.script import tirx as T

from engine.kernels.stft import Stft, cosine64, fill_circle, hann64, sine64
from engine.ops.harmonic_source import hann_window
from tests.engine.kernels.cpu import running
from tests.engine.kernels.metal import running as metal_running

N_FFT = 300
"""More steps than a threadgroup has threads."""
STEPS = 2 * np.pi * np.arange(N_FFT) / N_FFT


def test_sizes_are_those_of_a_spectrum():
    sizes = Stft(20, 5, 600)
    assert (sizes.bins, sizes.columns) == (11, 120)


def test_tables_are_exact():
    @T.prim_func(s_tir=True)
    def tables(y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        target = T.match_buffer(y, (3, N_FFT), "float32")
        for tap in T.serial(N_FFT):
            target[0, tap] = T.Cast("float32", cosine64(tap + N_FFT, N_FFT))
            target[1, tap] = T.Cast("float32", sine64(tap + N_FFT, N_FFT))
            target[2, tap] = T.Cast("float32", hann64(tap, N_FFT))

    expected = np.stack([np.cos(STEPS), np.sin(STEPS), hann_window(N_FFT)])
    np.testing.assert_allclose(running.built(tables)((3, N_FFT)), expected, rtol=1e-7, atol=1e-15)


def test_threads_fill_a_circle_together():
    group = metal_running.GROUP

    @T.prim_func(s_tir=True)
    def circle(y: T.handle) -> None:
        T.func_attr({"tirx.noalias": True, "tirx.is_scheduled": True})
        rows = T.int32()
        target = T.match_buffer(y, (rows, 2, N_FFT), "float32")
        for row in T.thread_binding(rows, thread="blockIdx.x"):
            for thread in T.thread_binding(group.threads, thread="threadIdx.x"):
                cosines = T.alloc_buffer((N_FFT,), "float32", scope="shared")
                sines = T.alloc_buffer((N_FFT,), "float32", scope="shared")
                fill_circle(group, N_FFT, cosines, sines, thread)
                if thread == 0:
                    for tap in T.serial(N_FFT):
                        target[row, 0, tap] = cosines[tap]
                        target[row, 1, tap] = sines[tap]

    found = metal_running.built(circle)((2, 2, N_FFT))
    for row in found:
        np.testing.assert_allclose(row, np.stack([np.cos(STEPS), np.sin(STEPS)]), atol=4e-7)
