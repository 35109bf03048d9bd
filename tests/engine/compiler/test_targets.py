import dataclasses
from dataclasses import fields, replace
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import tvm
import tvm_ffi
from torch import nn
from tvm import relax
from tvm.script import tirx as T
from tvm.target.codegen import llvm_get_cpu_features

from engine.compiler.artifacts.manifest import CPU, Variant
from engine.compiler.artifacts.processor_families import X86_64, X86_64_V4
from engine.compiler.kernel_calls import KernelRegistry, shape_of, simplified
from engine.compiler.kernel_set import KernelSet
from engine.compiler.kernels.convolution import ConvWorkload
from engine.compiler.kernels.cpu.conv_choice import choice_for
from engine.compiler.kernels.cpu.register_tile import NEON, TILE_BYTES, microkernel_for
from engine.compiler.kernels.metal.threadgroup import Threadgroup
from engine.compiler.kernels.precision import Precision
from engine.compiler.target_kernels import kernels_for, metal_kernels
from engine.compiler.targets import (
    MAX_THREADGROUP_BYTES,
    TargetName,
    family_cpu,
    host_cpu,
    host_features,
    metal_macos,
    target_named,
    target_of,
    tvm_target,
)
from engine.errors import CompileError
from engine.stages import TOKENS, Size, Tensor


def test_targets_have_the_names_of_the_command_line():
    assert target_named("cpu") is TargetName.CPU
    assert target_named("metal-macos") is TargetName.METAL_MACOS


def test_an_unknown_target_names_the_known_ones():
    with pytest.raises(CompileError, match="no target “gpu”"):
        target_named("gpu")


def test_the_host_target_has_exactly_the_features_of_this_cpu():
    features = host_features()
    present = {feature[1:] for feature in features if feature.startswith("+")}
    absent = {feature[1:] for feature in features if feature.startswith("-")}
    assert present
    assert not present & absent
    enabled = set(llvm_get_cpu_features(host_cpu()))
    assert present <= enabled
    assert not absent & enabled


def test_every_target_can_be_given_to_tvm():
    assert {target: tvm_target(target).kind.name for target in TargetName} == {
        TargetName.CPU: "llvm",
        TargetName.METAL_MACOS: "metal",
        TargetName.METAL_HOST: "metal",
    }


def test_metal_kernels_are_started_by_code_for_a_mac():
    target = metal_macos()
    assert target.host.attrs["mtriple"] == "arm64-apple-macos14.0"
    assert target.attrs["max_shared_memory_per_block"] == MAX_THREADGROUP_BYTES == 32768


@pytest.mark.parametrize("triple", ["aarch64-linux-gnu", "arm64-apple-macos"])
def test_arm_cpus_get_tiles_for_their_registers(triple):
    target = target_of(Variant("cpu", family=triple))
    assert target.attrs["mtriple"] == triple
    assert replace(microkernel_for(target), tile_bytes=TILE_BYTES) == NEON


@pytest.mark.parametrize("family", [X86_64, X86_64_V4], ids=lambda family: family.name)
def test_x86_modules_use_exactly_the_features_required_by_the_family(family):
    used = set(llvm_get_cpu_features(target_of(Variant("cpu", family=family.name))))
    linux_words = {
        "lzcnt": "abm",
        "bmi": "bmi1",
        "sahf": "lahf_lm",
        "sse3": "pni",
        "sse4.1": "sse4_1",
        "sse4.2": "sse4_2",
        "crc32": "sse4_2",
    }
    needed = {linux_words.get(name, name) for name in used & INSTRUCTION_SETS}
    assert needed == family.features


_NAMES = (
    "adx aes amx-bf16 amx-int8 amx-tile avx avx2 avx512bf16 avx512bw avx512cd avx512dq avx512f avx512fp16 "
    "avx512vl avxifma avxvnni bmi bmi2 clflushopt crc32 cx16 f16c fma fsgsbase gfni lzcnt movbe movdiri pclmul "
    "popcnt prfchw ptwrite rdrnd rdseed sahf serialize sha shstk sse3 sse4.1 sse4.2 ssse3 vaes vpclmulqdq "
    "waitpkg xsave xsavec xsaveopt xsaves "
)
INSTRUCTION_SETS = frozenset(_NAMES.split())
"""LLVM's names of instructions that 64-bit CPUs may lack; its other features are about speed."""


def test_a_variant_of_no_family_is_for_this_machine():
    assert target_of(CPU).attrs["mcpu"] == host_cpu().attrs["mcpu"]


def test_an_unknown_triple_names_the_known_ones():
    with pytest.raises(CompileError, match="no triple “armv7”"):
        family_cpu("armv7")


ONLY_ON_CPU = {"lstm_offset"}
"""The kernels that only the converters of a CPU's LSTM ask for."""


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


def copying(extent, microkernel):
    @T.prim_func(s_tir=True)
    def copying(x: T.Buffer((extent,), "float32"), y: T.Buffer((extent,), "float32")):
        for position in T.serial(extent):
            y[position] = x[position]

    return copying


@pytest.fixture
def importer():
    return SimpleNamespace(block_builder=relax.BlockBuilder())


@pytest.fixture
def registry():
    return KernelRegistry(kernels_for(host_cpu()))


def test_a_kernel_is_placed_once_per_size(registry, importer):
    first = registry.place(importer, copying, (4, None))
    assert registry.place(importer, copying, (4, None)).same_as(first)
    assert not registry.place(importer, copying, (5, None)).same_as(first)
    assert len(importer.block_builder.get().functions) == 2


def test_kernels_are_left_alone_by_fusion(registry, importer):
    name = registry.place(importer, copying, (4, None))
    assert importer.block_builder.get()[name].attrs["op_pattern"] == 8


def test_a_weight_is_packed_once_per_weight_and_key(registry):
    packings = []

    def pack():
        packings.append(len(packings))
        return packings[-1]

    one, other = (relax.Var(name, relax.TensorType((2,), "float32")) for name in "ab")
    assert [registry.packed(one, "k", pack), registry.packed(one, "k", pack)] == [0, 0]
    assert [registry.packed(other, "k", pack), registry.packed(one, "l", pack)] == [1, 2]


def test_extents_are_ints_where_they_are_fixed():
    frames = tvm.tirx.Var("frames", "int64")
    assert simplified(7) == 7
    tensor = relax.Var("x", relax.TensorType((frames, 3), "float32"))
    assert shape_of(tensor)[1] == 3
    assert shape_of(tensor)[0].same_as(frames)
    columns = simplified((120 * frames + 1 + 2 * 3 - 12) // 6 + 1)
    assert tvm_ffi.structural_equal(columns, frames * 20)


def test_a_layer_runs_over_the_last_of_any_axes(compiled):
    made = compiled(nn.Linear(32, 5), Tensor("x", (TOKENS, Size("f0_values_per_frame"), Size("hidden_dim"))))
    x = np.random.default_rng(0).standard_normal((2, 3, 2, 32), np.float32)
    np.testing.assert_allclose(made(x), made.eager(x), atol=2e-5)
