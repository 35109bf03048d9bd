import platform
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from engine.validator.runs.versions import NOT_INSTALLED, versions

ROOT = Path(__file__).resolve().parents[4]


def test_versions_are_those_of_this_installation() -> None:
    found = versions()
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert next(iter(found)) == declared["name"]
    assert found["numpy"] == np.__version__
    assert platform.python_version() in found["python"]
    assert platform.machine() in found["platform"]
    assert NOT_INSTALLED not in found.values()


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "torch":
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr("engine.validator.runs.versions.metadata.version", version)
    assert versions()["torch"] == NOT_INSTALLED
    assert versions()["numpy"] == "1.0"


def test_asking_loads_no_package() -> None:
    code = (
        "import sys; from engine.validator.runs.versions import versions; versions();"
        "print([name for name in ('torch', 'tvm', 'kokoro', 'misaki', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
