"""What a validation was computed with: the weights, the modules, and every package that shapes the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from engine.artifacts.manifest import Manifest
from engine.validator.data.results import Regime
from engine.validator.runners.regimes import Regimes
from engine.validator.runs.versions import versions

MODEL, WEIGHTS, MODULE = "model", "weights", "module"


def build_identity(regimes: Regimes, stage: str, regime: str) -> Mapping[str, str]:
    """Names with their values as text: two equal ones belong to equal computations of this stage in this regime.

    What is known of compiled modules is there once a compiled regime is loaded. Raises `DamagedFile` when their list
    cannot be read.
    """
    checkpoint = regimes.checkpoint
    identity = {MODEL: checkpoint.name, WEIGHTS: checkpoint.identity, **versions()}
    if regimes.modules_folder is None or not regime.startswith(Regime.COMPILED):
        return identity
    manifest = Manifest.load(regimes.modules_folder)
    artifact = manifest.artifact(stage)
    modules = {f"modules' {name.replace('_', ' ')}": value for name, value in asdict(manifest.identity).items()}
    built = "" if artifact is None else artifact.fingerprint or artifact.sha256
    return {**identity, **modules, MODULE: built}


def differences(now: Mapping[str, str], then: Mapping[str, str]) -> tuple[str, ...]:
    """What a case was built with that is otherwise here, a phrase for each, such as `numpy 2.4.6, then 2.4.5`."""
    names = dict.fromkeys([*then, *now])
    return tuple(
        f"{name} {now.get(name, 'missing')}, then {then.get(name, 'missing')}"
        for name in names
        if now.get(name) != then.get(name)
    )
