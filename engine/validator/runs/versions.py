"""The versions used by a validation: weights, modules, and all software that affects the numbers.

The packages are looked up without importing them.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata

from engine.compiler.artifacts.manifest import Identity, Manifest
from engine.models.checkpoints import Checkpoint
from engine.runtime.edit_files import edits_text
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
"""Packages by distribution name; this project comes first."""
NOT_INSTALLED = "not installed"


def versions() -> Mapping[str, str]:
    """Return versions by name; a package that is missing is `not installed`."""
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
    """Return names with their values as text; equal ones mean equal computations of this stage in this regime.

    Data on compiled modules is included once a compiled regime is loaded. Raises `DamagedFile` if their manifest cannot
    be read.
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
    """Return the differences between this build and a case's, a phrase for each, such as `numpy 2.4.6, then 2.4.5`."""
    names = dict.fromkeys([*then, *now])
    return tuple(
        f"{name} {now.get(name, 'missing')}, then {then.get(name, 'missing')}"
        for name in names
        if now.get(name) != then.get(name)
    )


def circumstances_of(checkpoint: Checkpoint, request: ValidationRequest, identity: Identity) -> RunContext:
    """Return the circumstances of a request's errors; `identity` is that of the compiled modules."""
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
        edits=hashlib.sha256(edits_text(speech.edits, "").encode()).hexdigest() if speech.edits else "",
    )
    return RunContext(subject, Build.of(identity))
