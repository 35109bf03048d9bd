"""The families of CPUs that shipped modules are compiled for, and which of them this machine's CPU belongs to."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from engine.system.processor import processor_features

APPLE_PROCESSOR = "apple-m1"
"""The oldest one: code for it runs on every Mac with Apple silicon."""


_X86_64_V3 = "abm avx avx2 bmi1 bmi2 cx16 f16c fma lahf_lm movbe pni popcnt sse4_1 sse4_2 ssse3 xsave"
"""`abm` is LZCNT, `pni` is SSE3."""
_X86_64_V4 = "avx512bw avx512cd avx512dq avx512f avx512vl"
"""The features that x86-64-v4 adds to x86-64-v3."""


@dataclass(frozen=True)
class ProcessorFamily:
    """CPUs of one operating system that the same modules run on.

    `triple` is LLVM's name of the system, `processor` LLVM's name of the oldest CPU. `system` and `machine` are
    Python's names of them; `features` are those that the CPU must have, in Linux's terms. `name` identifies the family
    on the command line and in the names of folders.
    """

    name: str
    title: str
    triple: str
    processor: str
    system: str
    machine: str
    features: frozenset[str] = frozenset()


X86_64_V4 = ProcessorFamily(
    name="x86_64-v4-linux-gnu",
    title="x86-64-v4 CPUs",
    triple="x86_64-linux-gnu",
    processor="x86-64-v4",
    system="Linux",
    machine="x86_64",
    features=frozenset([*_X86_64_V3.split(), *_X86_64_V4.split()]),
)
"""Those with AVX-512: Intel's servers since 2017, AMD's since 2022."""
X86_64 = ProcessorFamily(
    name="x86_64-linux-gnu",
    title="x86-64-v3 CPUs",
    triple="x86_64-linux-gnu",
    processor="x86-64-v3",
    system="Linux",
    machine="x86_64",
    features=frozenset(_X86_64_V3.split()),
)
"""Intel's since 2013 and AMD's since 2015, apart from the smallest."""
ARM = ProcessorFamily(
    name="aarch64-linux-gnu",
    title="64-bit ARM CPUs",
    triple="aarch64-linux-gnu",
    processor="generic",
    system="Linux",
    machine="aarch64",
)
APPLE = ProcessorFamily(
    name="arm64-apple-macos",
    title="Apple silicon",
    triple="arm64-apple-macos",
    processor=APPLE_PROCESSOR,
    system="Darwin",
    machine="arm64",
)
FAMILIES = {family.name: family for family in (X86_64_V4, X86_64, ARM, APPLE)}
"""By name; of two for the same system, the one with the faster modules comes first."""


def families_of(system: str, machine: str) -> tuple[ProcessorFamily, ...]:
    """The families for a system and machine, in Python's words, the one with the fastest modules first."""
    return tuple(family for family in FAMILIES.values() if (family.system, family.machine) == (system, machine))


def families_here() -> dict[ProcessorFamily, str]:
    """The families for this system, the one with the fastest modules first.

    Each comes with the reason why this machine's CPU does not belong to it, as text; empty if it does.
    """
    found = families_of(platform.system(), platform.machine())
    return {family: _unavailable_reason(family) for family in found}


def runs_here(name: str) -> bool:
    """True if modules for the family of this name run on this machine."""
    return any(family.name == name and not unavailable_reason for family, unavailable_reason in families_here().items())


def _unavailable_reason(family: ProcessorFamily) -> str:
    lacking = family.features - processor_features() if family.features else ()
    return f"this CPU lacks {', '.join(sorted(lacking))}" if lacking else ""
