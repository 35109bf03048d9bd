"""Sums stay in registers, also on other CPUs: the instructions in the inner loops of kernels."""

import pytest

from engine.compiler.artifacts.processor_families import FAMILIES
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu.attention import VECTORS, attention
from engine.compiler.kernels.cpu.conv1d import conv1d
from engine.compiler.kernels.cpu.conv_transpose1d import conv_transpose1d
from engine.compiler.kernels.cpu.linear import linear
from engine.compiler.kernels.cpu.register_tile import Microkernel, microkernel_for
from engine.compiler.kernels.cpu.winograd_conv import winograd_conv
from engine.compiler.kernels.cpu.winograd_plan import WinogradPlan
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.kernels.winograd import Winograd
from engine.compiler.targets import family_cpu
from tests.engine.compiler.kernels.cpu.assembly import assembly, longest_run, stores_beside

WITH_BIAS = Epilogue(has_bias=True)


def winograd(microkernel: Microkernel) -> WinogradPlan:
    return WinogradPlan(ConvWorkload(32, 32, 11, padding=5), Winograd(6, 6), microkernel)


def tile(microkernel: Microkernel) -> int:
    return microkernel.rows * microkernel.vectors


SUMS = {
    "convolution": (lambda each: conv1d(ConvWorkload(16, 16, 3, padding=1), WITH_BIAS, each), tile),
    "transposed": (lambda each: conv_transpose1d(16, 8, 20, 10, 5, True, each), tile),
    "transposed by Winograd": (lambda each: conv_transpose1d(16, 16, 20, 10, 5, True, each), tile),
    "Winograd": (
        lambda each: winograd_conv(winograd(each), WITH_BIAS),
        lambda each: winograd(each).pieces * tile(each),
    ),
}
"""Kernels, and vectors of sums that are added to without a use of memory."""
SUMS_WITHOUT_STORES = {
    "linear": (lambda each: linear(64, 48, WITH_BIAS, each), lambda each: each.rows * each.on_stack().vectors),
    "attention": (
        lambda each: attention(3, 32, each),
        lambda each: min(tile(each), each.vectors_on_stack) // VECTORS * VECTORS,
    ),
}


@pytest.mark.parametrize("name", [*SUMS, *SUMS_WITHOUT_STORES])
@pytest.mark.parametrize("family", FAMILIES)
def test_sums_stay_in_registers(family, name):
    target = family_cpu(family)
    microkernel = microkernel_for(target)
    kernel, sums = (SUMS | SUMS_WITHOUT_STORES)[name]
    lines, expected = assembly(kernel(microkernel), target), sums(microkernel)
    assert longest_run(lines) >= expected
    assert name in SUMS or stores_beside(lines, expected) < expected
