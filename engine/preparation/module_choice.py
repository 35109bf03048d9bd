"""Which compiled modules speak: those built for this very machine if they measured faster here, else shipped ones.

Built ones also speak where those shipped cannot be used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.artifacts.comparison import Comparison, libraries_key, load_comparison, load_failure
from engine.artifacts.freshness import Fresh, Freshness, Stale, freshness
from engine.artifacts.manifest import CPU_DEVICE, Manifest, Variant, expected_identity, modules_folder
from engine.artifacts.processor_families import family_here
from engine.config import ModelConfig
from engine.system.paths import built_modules_folder, shipped_modules_folder


@dataclass(frozen=True)
class FoundModules:
    """The folder of modules that can be used, or None and the `problem` as text.

    `why` says which they are, and why they are used, as text; `shipped_problem` why shipped ones are not.
    """

    folder: Path | None
    problem: str = ""
    why: str = ""
    shipped_problem: str = ""


@dataclass(frozen=True)
class ModuleSet:
    """Modules in one place: their folder, and whether they can be used."""

    folder: Path
    state: Freshness

    @property
    def manifest(self) -> Manifest | None:
        """Their manifest, if they can be used."""
        return self.state.manifest if isinstance(self.state, Fresh) else None

    @property
    def problem(self) -> str:
        """Why those that are there cannot be used, as text; else empty."""
        return self.state.why if isinstance(self.state, Stale) else ""


@dataclass(frozen=True)
class ModuleSets:
    """The modules of one architecture and variant that are shipped, and those that were built here.

    `shipped_for` says in words what the shipped ones are for.
    """

    shipped: ModuleSet
    built: ModuleSet
    shipped_for: str

    @property
    def libraries(self) -> str:
        """What identifies both sets; empty unless both can be used."""
        built, shipped = self.built.manifest, self.shipped.manifest
        return "" if built is None or shipped is None else libraries_key(built, shipped)

    @property
    def comparison(self) -> Comparison | None:
        """How they compare on this machine; None if that has not been measured."""
        return load_comparison(self.built.folder, self.libraries) if self.libraries else None

    @property
    def found(self) -> FoundModules:
        """Those that speak."""
        if self.shipped.manifest is None:
            return self._without_shipped()
        comparison = self.comparison
        if comparison is not None and comparison.built_is_faster:
            why = f"built for this machine, {comparison.times_faster:.2f} times as fast as those shipped"
            return FoundModules(self.built.folder, why=why)
        return FoundModules(self.shipped.folder, why=f"shipped for {self.shipped_for}; {self._why_not_built}")

    def _without_shipped(self) -> FoundModules:
        useless = self.shipped.problem
        aside = f"; those shipped cannot be used: {useless}" if useless else ""
        if self.built.manifest is not None:
            return FoundModules(self.built.folder, "", f"built for this machine{aside}", useless)
        problem = self.built.problem or "they are not built yet"
        return FoundModules(None, f"{problem}{aside}", "", useless)

    @property
    def _why_not_built(self) -> str:
        if (comparison := self.comparison) is not None:
            return f"those built for this machine are {comparison.times_faster:.2f} times as fast"
        if self.libraries:
            return "those built for this machine have not been compared with them"
        if failure := load_failure(self.built.folder):
            return f"building some for this machine failed: {failure}"
        problem = self.built.problem
        return f"those built for this machine cannot be used: {problem}" if problem else "none are built here yet"


def find_modules(config: ModelConfig, variant: Variant) -> FoundModules:
    """The modules of this architecture and variant that speak; reads and hashes every one of them."""
    return module_sets(config, variant).found


def module_sets(config: ModelConfig, variant: Variant) -> ModuleSets:
    """All modules of this architecture and variant."""
    built = _modules(modules_folder(built_modules_folder(), config, variant), config, variant)
    if variant.target != CPU_DEVICE or variant.triple:
        return ModuleSets(_shipped(config, variant), built, "Macs")
    choice = family_here()
    if choice.family is None:
        nowhere = modules_folder(shipped_modules_folder(), config, variant)
        return ModuleSets(ModuleSet(nowhere, Stale(choice.obstacle)), built, "")
    of_family = replace(variant, triple=choice.family.triple)
    return ModuleSets(_shipped(config, of_family), built, choice.family.title)


def _shipped(config: ModelConfig, variant: Variant) -> ModuleSet:
    return _modules(modules_folder(shipped_modules_folder(), config, variant), config, variant)


def _modules(folder: Path, config: ModelConfig, variant: Variant) -> ModuleSet:
    return ModuleSet(folder, freshness(folder, expected_identity(config, variant), variant.stages))
