import shutil
from pathlib import Path

import pytest
from safetensors import _safetensors_rust

from engine.errors import EngineError
from engine.report import shipped as shipped_modules
from engine.report.shipped import libraries_here, loaded
from engine.system.paths import shipped_modules_folder

LOADABLE = _safetensors_rust.__file__


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with one library that this system can load, in the place of a shipped one."""
    copy = tmp_path / libraries_here()[0].relative_to(shipped_modules_folder())
    copy.parent.mkdir()
    shutil.copy(LOADABLE, copy)
    monkeypatch.setattr(shipped_modules, "shipped_modules_folder", lambda: tmp_path)
    return copy


def test_a_library_that_can_be_loaded_is_no_problem(shipped: Path) -> None:
    (finding,) = loaded()
    assert (finding["library"], finding["problem"]) == (f"{shipped.parent.name}/{shipped.name}", "")


def test_what_the_loader_says_of_a_damaged_one_is_told(shipped: Path) -> None:
    whole = shipped.with_name(f"whole{shipped.suffix}")
    shutil.copy(shipped, whole)
    shipped.write_bytes(b"no library at all")
    damaged, intact = loaded()
    assert damaged["problem"]
    assert intact["problem"] == ""


def test_where_there_is_none_that_is_said(shipped: Path) -> None:
    shipped.unlink()
    with pytest.raises(EngineError, match="not there"):
        libraries_here()


@pytest.mark.parametrize("quarantined", [True, False])
def test_quarantined_ones_are_told_with_the_command(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, quarantined: bool
) -> None:
    monkeypatch.setattr(shipped_modules, "is_quarantined", lambda path: quarantined)
    (finding,) = shipped_modules.quarantine()
    assert ("xattr" in finding["problem"]) == quarantined


@pytest.mark.parametrize(("script", "problem"), [("exit 0", ""), ("echo invalid signature >&2; exit 1", "invalid")])
def test_what_macos_says_of_a_signature_is_told(
    shipped: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, problem: str
) -> None:
    tool = tmp_path / "codesign"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    monkeypatch.setattr(shipped_modules, "_CODESIGN", str(tool))
    (finding,) = shipped_modules.signatures()
    assert finding["problem"].startswith(problem)
    assert bool(finding["problem"]) == bool(problem)
