"""What the compiler can build for, by name, and how TVM spells it.

It does not know any stage.
"""

from __future__ import annotations

from enum import Enum

import tvm
import tvm_ffi
from tvm.target.codegen import llvm_get_system_cpu

from engine.errors import CompileError


class TargetName(Enum):
    """The targets by the word used for them on the command line and in folder names."""

    CPU = "cpu"


def target_named(name: str) -> TargetName:
    """The target of this name; raises `CompileError` for any other."""
    try:
        return TargetName(name)
    except ValueError as error:
        known = ", ".join(target.value for target in TargetName)
        raise CompileError(f"There is no target “{name}”.", f"Known targets: {known}.") from error


def tvm_target(target: TargetName) -> tvm.target.Target:
    """The target in TVM's terms."""
    return {TargetName.CPU: host_cpu}[target]()


def host_cpu() -> tvm.target.Target:
    """LLVM for this machine's processor.

    Every feature is stated, present or absent: a virtual machine may hide features its processor model implies.
    """
    return tvm.target.Target({"kind": "llvm", "mcpu": llvm_get_system_cpu(), "mattr": host_features()})


def host_features() -> list[str]:
    """Features of this machine's processor as LLVM names them, `+` before those present, `-` before the others."""
    features = tvm_ffi.get_global_func("tvm.codegen.llvm.GetHostCPUFeatures")()
    return sorted(f"{'+' if present else '-'}{name}" for name, present in features.items())
