import subprocess
import sys
from collections.abc import Sequence

import pytest

from engine.__main__ import main
from engine.cli import reference
from engine.cli.reference import add_command
from engine.errors import MissingReference
from engine.system.bundle import added_packages_folder, reference_requirements


def test_pip_puts_the_programs_versions_into_the_users_folder() -> None:
    command = add_command()
    assert command[:4] == (sys.executable, "-m", "pip", "install")
    assert command[command.index("--target") + 1] == str(added_packages_folder())
    assert set(reference_requirements()) <= set(command)
    assert ":all:" in command, "nothing may be built, for which there is no compiler"


def test_nothing_is_fetched_where_everything_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reference.subprocess, "run", lambda *_, **__: pytest.fail("pip was started"))
    assert main(["reference"]) == 0
    assert "is installed" in capsys.readouterr().out


@pytest.mark.parametrize("code", [0, 1])
def test_the_outcome_is_pips(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int) -> None:
    def missing() -> None:
        raise MissingReference("It is missing.")

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, code if tuple(command) == add_command() else 2)

    monkeypatch.setattr(reference, "require_reference", missing)
    monkeypatch.setattr(reference.subprocess, "run", run)
    assert main(["reference"]) == code
    output = capsys.readouterr()
    assert ("Added" in output.out) == (code == 0)
    assert ("was not added" in output.err) == (code == 1)
