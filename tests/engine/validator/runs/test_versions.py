import platform
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from engine.models.checkpoints import open_checkpoint
from engine.validator.data.results import Regime
from engine.validator.runners.regimes import Regimes
from engine.validator.runs.versions import MODULE, NOT_INSTALLED, build_identity, differences, versions

ROOT = Path(__file__).resolve().parents[4]


def test_versions_are_those_of_this_installation() -> None:
    found = versions()
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert next(iter(found)) == declared["name"]
    assert found["numpy"] == np.__version__
    assert platform.python_version() in found["python"]
    assert platform.machine() in found["platform"]
    assert NOT_INSTALLED not in found.values()


def test_a_missing_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "torch":
            raise metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr("engine.validator.runs.versions.metadata.version", version)
    assert versions()["torch"] == NOT_INSTALLED
    assert versions()["numpy"] == "1.0"


def test_asking_loads_no_heavy_package() -> None:
    code = (
        "import sys; from engine.validator.runs.versions import versions; versions();"
        "print([name for name in ('torch', 'tvm', 'kokoro', 'misaki') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@pytest.fixture(scope="module")
def regimes() -> Iterator[Regimes]:
    made = Regimes(open_checkpoint())
    yield made
    made.close()


def test_modules_are_known_once_they_are_loaded() -> None:
    regimes = Regimes(open_checkpoint())
    before = build_identity(regimes, "decoder", Regime.COMPILED)
    assert before["model"] == "starter"
    assert MODULE not in before
    regimes.open(Regime.COMPILED, 0, lambda event: None)
    after = build_identity(regimes, "decoder", Regime.COMPILED_PADDED)
    assert after[MODULE]
    assert after["modules' compiler source hash"]
    assert build_identity(regimes, "bert", Regime.COMPILED)[MODULE] != after[MODULE]
    assert build_identity(regimes, "alignment", Regime.COMPILED)[MODULE] == ""
    regimes.close()


def test_removed_modules_are_not_requested(regimes: Regimes) -> None:
    regimes.plant("swapped-gates")
    regimes.open(Regime.COMPILED, 0, lambda event: None)
    assert regimes.modules_folder is not None
    regimes.plant("")
    assert regimes.modules_folder is None
    assert MODULE not in build_identity(regimes, "text_encoder", Regime.COMPILED)


def test_differences_name_both() -> None:
    then, now = {"numpy": "1", "torch": "2", "old": "3"}, {"numpy": "1", "torch": "4", "new": "5"}
    assert differences(now, then) == ("torch 4, then 2", "old missing, then 3", "new 5, then missing")
    assert differences(now, now) == ()
