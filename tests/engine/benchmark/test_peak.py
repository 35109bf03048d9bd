import numpy as np
import pytest

from engine.benchmark.peak import PeakMeter, multiply_adds
from tests.engine.kernels.cpu.running import NARROW, host_microkernel

CHUNKS = 2


@pytest.mark.parametrize("microkernel", [host_microkernel(), *NARROW])
def test_every_sum_is_multiplied_and_added_to_so_often(microkernel):
    kernel = multiply_adds(microkernel, CHUNKS)
    shape = CHUNKS, microkernel.rows * microkernel.columns // microkernel.lanes, microkernel.lanes
    sums = np.zeros(shape, np.float32)
    run_on(kernel, sums, steps=3)
    np.testing.assert_array_equal(sums, np.full(shape, 0.875))


def run_on(kernel, sums, steps):
    import tvm

    from engine.compiler.targets import host_cpu

    held = tvm.runtime.tensor(sums)
    run = tvm.compile(tvm.IRModule({"main": kernel}), target=host_cpu())["main"]
    run(tvm.runtime.tensor(np.full(2, 0.5, np.float32)), held, steps)
    sums[...] = held.numpy()


def test_a_peak_is_measured():
    assert PeakMeter(1).flop_per_second(steps=1000) > 1e7
