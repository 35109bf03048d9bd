"""What a validation was computed with: weights, modules, and all software that shapes the numbers.

The packages are looked up without importing them.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata

from engine.artifacts.manifest import Identity, Manifest
from engine.models.checkpoints import Checkpoint
from engine.validator.data.results import Regime, ValidationRequest
from engine.validator.data.run_context import Build, RunContext, RunKey
from engine.validator.runners.regimes import Regimes

PACKAGES = (
    "kokoro-desk",
    "numpy",
    "torch",
    "apache-tvm",
    "apache-tvm-ffi",
    "kokoro",
    "misaki",
    "transformers",
    "spacy",
    "espeakng-loader",
    "safetensors",
)
"""By distribution name; this project comes first."""
NOT_INSTALLED = "not installed"


def versions() -> Mapping[str, str]:
    """Versions by name; a package that is missing is `not installed`."""
    found = {name: _version(name) for name in PACKAGES}
    found["python"] = f"{platform.python_implementation()} {platform.python_version()}"
    found["platform"] = platform.platform()
    return found


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED


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


def circumstances_of(checkpoint: Checkpoint, request: ValidationRequest, identity: Identity) -> RunContext:
    """What the errors of a request depend on; `identity` is that of the compiled modules."""
    speech = request.speech
    subject = RunKey(
        model=checkpoint.name,
        weights=checkpoint.identity,
        text=speech.text[speech.start : speech.end].strip(),
        voice=speech.voice,
        speed=speech.speed,
        seed=speech.seed,
        reference=str(request.reference),
        padding=request.padding,
        device=identity.device,
        lstm_method=identity.lstm_method,
        precision=identity.precision,
    )
    return RunContext(subject, Build.of(identity))
