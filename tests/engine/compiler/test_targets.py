from dataclasses import replace

import pytest
from tvm.target.codegen import llvm_get_cpu_features

from engine.artifacts.manifest import CPU, Variant
from engine.artifacts.processor_families import X86_64, X86_64_V4, ProcessorFamily
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
from engine.kernels.cpu.register_tile import NEON, TILE_BYTES, microkernel_for


def test_targets_have_the_names_of_the_command_line():
    assert target_named("cpu") is TargetName.CPU
    assert target_named("metal-macos") is TargetName.METAL_MACOS


def test_an_unknown_target_names_the_known_ones():
    with pytest.raises(CompileError, match="no target “gpu”"):
        target_named("gpu")


def test_the_host_target_has_the_features_of_this_processor_and_no_others():
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
def test_arm_processors_get_tiles_of_their_own_registers(triple):
    target = target_of(Variant("cpu", family=triple))
    assert target.attrs["mtriple"] == triple
    assert replace(microkernel_for(target), tile_bytes=TILE_BYTES) == NEON


@pytest.mark.parametrize("family", [X86_64, X86_64_V4], ids=lambda family: family.name)
def test_x86_modules_use_what_the_family_must_have_and_nothing_else(family: ProcessorFamily):
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
"""LLVM's names of instructions that processors for 64 bits may lack; its other features are about speed."""


def test_a_variant_of_no_family_is_for_this_machine():
    assert target_of(CPU).attrs["mcpu"] == host_cpu().attrs["mcpu"]


def test_an_unknown_triple_names_the_known_ones():
    with pytest.raises(CompileError, match="no triple “armv7”"):
        family_cpu("armv7")
