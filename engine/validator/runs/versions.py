"""Which software made a result: this project, Python, the machine, and every package that shapes the numbers.

The packages are looked up without importing them.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib import metadata

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
