"""Fake compiled libraries: a manifest, and files of a few bytes."""

import hashlib
from pathlib import Path

from engine.compiler.artifacts.manifest import Artifact, Identity, Manifest, Parameter

IDENTITY = Identity("declaration", "config", "cpu here", "0.27", "source")
CONTENT = b"library"


def library(stage: str) -> Artifact:
    """Return the entry of a stage's library."""
    digest = hashlib.sha256(CONTENT).hexdigest()
    return Artifact(stage, f"{stage}.so", digest, len(CONTENT), 1.5, (Parameter("a.weight", (2, 3), "float32"),))


def save_libraries(folder: Path) -> Path:
    """Save two libraries with their manifest; returns the folder."""
    manifest = Manifest(IDENTITY, (library("bert"), library("decoder")))
    for artifact in manifest.artifacts:
        (folder / artifact.file).write_bytes(CONTENT)
    manifest.save(folder)
    return folder
