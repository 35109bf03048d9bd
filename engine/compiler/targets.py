"""The targets that the compiler can build for, by name and as TVM targets."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import tvm
import tvm_ffi
from tvm.target.codegen import llvm_get_system_cpu

from engine.compiler.artifacts.manifest import MAC_TRIPLE, Variant
from engine.compiler.artifacts.processor_families import APPLE_PROCESSOR, FAMILIES
from engine.errors import CompileError

METAL = "metal"
"""TVM's name of the target kind."""
DEFAULT_THREADS = 256
"""Threads of a threadgroup by default: every Apple GPU can run this many of any kernel."""
SIMD_WIDTH = 32
MAX_THREADGROUP_BYTES = 32 * 1024
_X86_64 = "x86_64"


class TargetName(Enum):
    """The targets by the names used on the command line and in folder names."""

    CPU = "cpu"
    METAL_MACOS = "metal-macos"
    METAL_HOST = "metal-host"
    """Metal kernels called from code for this machine."""


def target_named(name: str) -> TargetName:
    """The target of this name; raises `CompileError` for any other."""
    try:
        return TargetName(name)
    except ValueError as error:
        known = ", ".join(target.value for target in TargetName)
        raise CompileError(f"There is no target “{name}”.", f"Known targets: {known}.") from error


def tvm_target(target: TargetName) -> tvm.target.Target:
    """The TVM target of this name."""
    return {TargetName.CPU: host_cpu, TargetName.METAL_MACOS: metal_macos, TargetName.METAL_HOST: metal_host}[target]()


def target_of(variant: Variant) -> tvm.target.Target:
    """The TVM target of a variant; raises `CompileError` for an unknown target or family."""
    return family_cpu(variant.family) if variant.family else tvm_target(target_named(variant.target))


def host_cpu() -> tvm.target.Target:
    """LLVM for this machine's CPU.

    Every feature is stated, present or absent: a virtual machine may hide features its CPU model implies.
    """
    return tvm.target.Target({"kind": "llvm", "mcpu": llvm_get_system_cpu(), "mattr": host_features()})


def family_cpu(name: str) -> tvm.target.Target:
    """LLVM for any CPU of the family of this name; raises `CompileError` if there is none."""
    if name not in FAMILIES:
        raise CompileError(f"There is no triple “{name}”.", f"Known triples: {', '.join(FAMILIES)}.")
    family = FAMILIES[name]
    target = {"kind": "llvm", "mtriple": family.triple, "mcpu": family.processor}
    return tvm.target.Target(target if family.machine == _X86_64 else {**target, "mattr": ["+neon"]})


def metal_macos() -> tvm.target.Target:
    """Metal for any Apple GPU, called from a Mac's own CPU."""
    return metal_called_from({"kind": "llvm", "mtriple": MAC_TRIPLE, "mcpu": APPLE_PROCESSOR})


def metal_host() -> tvm.target.Target:
    """Metal, called from this machine's own CPU."""
    return metal_called_from({"kind": "llvm"})


def metal_called_from(host: Mapping[str, Any]) -> tvm.target.Target:
    """Metal with kernels launched by code for the TVM target `host`; the limits are those of every Apple GPU."""
    limits = {
        "max_threads_per_block": DEFAULT_THREADS,
        "max_num_threads": DEFAULT_THREADS,
        "thread_warp_size": SIMD_WIDTH,
        "max_shared_memory_per_block": MAX_THREADGROUP_BYTES,
    }
    return tvm.target.Target({"kind": METAL, **limits}, host=dict(host))


def host_features() -> list[str]:
    """Features of this machine's CPU as LLVM names them, `+` before those present, `-` before the others."""
    features = tvm_ffi.get_global_func("tvm.codegen.llvm.GetHostCPUFeatures")()
    return sorted(f"{'+' if present else '-'}{name}" for name, present in features.items())
