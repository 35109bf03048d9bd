"""The families of processors that shipped modules are compiled for, and which of them this machine's belongs to."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from engine.system.processor import processor_features

APPLE_PROCESSOR = "apple-m1"
"""The oldest one: code for it runs on every Mac with an Apple processor."""


_X86_64_V3 = "abm avx avx2 bmi1 bmi2 cx16 f16c fma lahf_lm movbe pni popcnt sse4_1 sse4_2 ssse3 xsave"
"""`abm` is LZCNT, `pni` is SSE3."""


@dataclass(frozen=True)
class ProcessorFamily:
    """Processors of one operating system that the same modules run on.

    `triple` is LLVM's name of the system, `processor` LLVM's name of the oldest processor. `system` and `machine` are
    Python's names of them; `features` are what the processor must have, in Linux's words.
    """

    title: str
    triple: str
    processor: str
    system: str
    machine: str
    features: frozenset[str] = frozenset()


X86_64 = ProcessorFamily(
    title="x86-64-v3 processors",
    triple="x86_64-linux-gnu",
    processor="x86-64-v3",
    system="Linux",
    machine="x86_64",
    features=frozenset(_X86_64_V3.split()),
)
"""Intel's since 2013 and AMD's since 2015, apart from the smallest."""
ARM = ProcessorFamily("64-bit ARM processors", "aarch64-linux-gnu", "generic", "Linux", "aarch64")
APPLE = ProcessorFamily("Apple processors", "arm64-apple-macos", APPLE_PROCESSOR, "Darwin", "arm64")
FAMILIES = {family.triple: family for family in (X86_64, ARM, APPLE)}
"""By triple."""


@dataclass(frozen=True)
class FamilyChoice:
    """The family of this machine's processor, or None and the reason as text."""

    family: ProcessorFamily | None
    obstacle: str = ""


def family_here() -> FamilyChoice:
    """The family that this machine's processor belongs to."""
    system, machine = platform.system(), platform.machine()
    family = next((one for one in FAMILIES.values() if (one.system, one.machine) == (system, machine)), None)
    if family is None:
        return FamilyChoice(None, f"none are shipped for {system} on {machine}")
    lacking = family.features - processor_features() if family.features else ()
    if lacking:
        return FamilyChoice(None, f"they are for {family.title}, and this one lacks {', '.join(sorted(lacking))}")
    return FamilyChoice(family)
