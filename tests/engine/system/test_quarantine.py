import sys
from pathlib import Path

import pytest

from engine.system import quarantine
from engine.system.quarantine import is_quarantined, release_command


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands in for xattr: a file is quarantined if its name says so."""
    path = tmp_path / "xattr"
    path.write_text(
        '#!/bin/sh\ntest "$1 $2" = "-p com.apple.quarantine" && case "$3" in *fetched*) ;; *) exit 1; esac\n'
    )
    path.chmod(0o755)
    monkeypatch.setattr(quarantine, "_TOOL", str(path))
    return path


@pytest.mark.parametrize("name", ["fetched.dylib", "cloned.dylib"])
def test_the_system_is_asked(tool: Path, name: str) -> None:
    assert is_quarantined(Path(name)) == (name == "fetched.dylib")


def test_a_bundle_is_trusted_as_a_whole(tool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not is_quarantined(Path("fetched.dylib"))


def test_the_command_ends_it_for_everything_in_a_folder() -> None:
    assert release_command(Path("/my apps/desk")) == "xattr -dr com.apple.quarantine '/my apps/desk'"
