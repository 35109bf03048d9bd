"""Which compiled modules speak: those built on this machine, if there are any, else the fastest of those shipped."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from engine.artifacts.freshness import Fresh, Freshness, Stale, freshness
from engine.artifacts.manifest import CPU_DEVICE, Variant, expected_identity, modules_folder
from engine.artifacts.processor_families import families_here
from engine.config import ModelConfig
from engine.system.paths import built_modules_folder, shipped_modules_folder


@dataclass(frozen=True)
class FoundModules:
    """The folder of modules that can be used, or None and the `problem` as text.

    `why` says which they are, and why better ones are not used, as text; `shipped_problem` why no shipped ones are.
    """

    folder: Path | None
    problem: str = ""
    why: str = ""
    shipped_problem: str = ""


def find_modules(config: ModelConfig, variant: Variant) -> FoundModules:
    """The modules of this architecture and variant that speak; reads and hashes every one of them."""
    built_folder = modules_folder(built_modules_folder(), config, variant)
    built = _freshness(built_folder, config, variant)
    if isinstance(built, Fresh):
        return FoundModules(built_folder, why="built on this machine")
    problems = [f"those built on this machine cannot be used: {built.why}"] if isinstance(built, Stale) else []
    shipped_problems = []
    for title, shipped, obstacle in _shipped(variant):
        folder = modules_folder(shipped_modules_folder(), config, shipped)
        state = Stale(obstacle) if obstacle else _freshness(folder, config, shipped)
        if isinstance(state, Fresh):
            return FoundModules(folder, why="; ".join([f"shipped for {title}", *problems]))
        if isinstance(state, Stale):
            problems.append(f"those for {title} cannot be used: {state.why}")
            shipped_problems.append(f"those for {title}: {state.why}")
    if variant == Variant(CPU_DEVICE) and not families_here():
        shipped_problems.append(f"none are for {platform.system()} on {platform.machine()}")
    useless = "; ".join(shipped_problems)
    aside = f"; those shipped cannot be used: {useless}" if useless else ""
    return FoundModules(
        None, f"{built.why if isinstance(built, Stale) else 'they are not built yet'}{aside}", "", useless
    )


def _shipped(variant: Variant) -> Iterator[tuple[str, Variant, str]]:
    """What a variant is shipped for, in words, as what, and why that cannot be used here, the fastest first."""
    if variant.target != CPU_DEVICE or variant.family:
        yield "Macs", variant, ""
    else:
        for family, obstacle in families_here().items():
            yield family.title, replace(variant, family=family.name), obstacle


def _freshness(folder: Path, config: ModelConfig, variant: Variant) -> Freshness:
    return freshness(folder, expected_identity(config, variant), variant.stages)
