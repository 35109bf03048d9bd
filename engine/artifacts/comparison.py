"""What is kept beside modules built for this machine: how they compare with those shipped, or why building failed."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.artifacts.manifest import Manifest
from engine.system.json_text import json_value
from engine.system.whole_file import write_atomically

_COMPARISON = "comparison.json"
_FAILURE = "failure.json"
_LEAST_GAIN = 1.03
"""How many times faster modules built here must be to be used: a smaller gain may be chance."""


@dataclass(frozen=True)
class Comparison:
    """Seconds that modules built for this machine and shipped ones took for the same speech, here.

    `libraries` identifies both sets; the comparison says nothing about any others.
    """

    libraries: str
    built_seconds: float
    shipped_seconds: float

    @property
    def times_faster(self) -> float:
        """How many times as fast as the shipped modules those built here are."""
        return self.shipped_seconds / self.built_seconds

    @property
    def built_is_faster(self) -> bool:
        """Whether those built here are worth using."""
        return self.times_faster > _LEAST_GAIN

    def save(self, folder: Path) -> None:
        """Keep it beside the modules built here; raises `OSError`."""
        write_atomically(folder / _COMPARISON, json.dumps(asdict(self), indent=1).encode())


def load_comparison(folder: Path, libraries: str) -> Comparison | None:
    """The comparison of these libraries that is kept in `folder`; None if there is none."""
    try:
        found = Comparison(**json_value((folder / _COMPARISON).read_text(encoding="utf-8")))
        _ = found.times_faster
    except (OSError, ValueError, TypeError, ZeroDivisionError):
        return None
    return found if found.libraries == libraries else None


def libraries_key(*manifests: Manifest) -> str:
    """A hash that identifies several sets of libraries."""
    digests = [[*_digests(manifest), *([manifest.bridge.sha256] if manifest.bridge else [])] for manifest in manifests]
    return hashlib.sha256(json.dumps(digests).encode()).hexdigest()


def _digests(manifest: Manifest) -> list[tuple[str, str]]:
    return sorted((artifact.stage, artifact.sha256) for artifact in manifest.artifacts)


def save_failure(folder: Path, why: str) -> None:
    """Keep why building into `folder` failed, if that can be written."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / _FAILURE, json.dumps({"why": why}).encode())


def load_failure(folder: Path) -> str:
    """Why the last attempt to build into `folder` failed; empty if none has, or one has succeeded since."""
    try:
        return str(json_value((folder / _FAILURE).read_text(encoding="utf-8"))["why"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def forget_failure(folder: Path) -> None:
    """Building into `folder` has succeeded."""
    with suppress(OSError):
        (folder / _FAILURE).unlink()
