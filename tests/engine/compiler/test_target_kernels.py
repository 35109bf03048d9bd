import dataclasses
from dataclasses import fields
from types import ModuleType

import pytest

from engine.compiler.kernel_set import KernelSet
from engine.compiler.target_kernels import kernels_for, metal_kernels
from engine.compiler.targets import host_cpu, metal_macos
from engine.errors import CompileError
from engine.kernels.convolution import ConvWorkload
from engine.kernels.cpu.conv_choice import choice_for
from engine.kernels.cpu.register_tile import microkernel_for
from engine.kernels.metal.threadgroup import Threadgroup
from engine.kernels.precision import Precision

ONLY_ON_CPU = {"lstm_offset"}
"""What only the converters of a processor's LSTM ask for."""


def public(module):
    return {name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}


def test_each_target_has_kernels_for_its_traits():
    assert kernels_for(host_cpu()).target_traits == microkernel_for(host_cpu())
    assert kernels_for(metal_macos()).target_traits == Threadgroup()


def test_convolutions_are_computed_as_tuned():
    tuned = [(ConvWorkload(64, 64, 3), choice_for(ConvWorkload(64, 64, 5), microkernel_for(host_cpu())))]
    assert kernels_for(host_cpu(), tuned=tuned).target_traits.tuned == tuple(tuned)


def test_only_metal_has_float16_kernels():
    assert kernels_for(metal_macos(), Precision.FLOAT16).target_traits == Threadgroup(factors=Precision.FLOAT16)
    with pytest.raises(CompileError, match="float16"):
        kernels_for(host_cpu(), Precision.FLOAT16)


def test_the_same_kernels_are_there_for_every_target():
    cpu, metal = kernels_for(host_cpu()), kernels_for(metal_macos())
    for field in fields(KernelSet):
        module = getattr(cpu, field.name)
        if isinstance(module, ModuleType):
            names = {name for name in public(module) if not name.startswith("_") and name[0].islower()} - ONLY_ON_CPU
            assert names <= public(getattr(metal, field.name)), field.name


def test_a_kernel_set_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        metal_kernels().linear = None
