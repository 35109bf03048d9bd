from collections.abc import Callable

import pytest

from engine.__main__ import main
from engine.cli import reference
from engine.errors import DownloadError, MissingReference
from engine.models import packages


def test_nothing_is_downloaded_if_the_reference_is_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(packages, "add_reference", lambda *_: pytest.fail("pip was started"))
    assert main(["reference"]) == 0
    assert "is installed" in capsys.readouterr().out


@pytest.mark.parametrize("code", [0, 1])
def test_the_outcome_is_pips(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int) -> None:
    def missing() -> None:
        raise MissingReference("It is missing.")

    def add(on_line: Callable[[str], None]) -> None:
        on_line("Collecting torch")
        if code:
            raise DownloadError("Couldn’t install PyTorch.", "Check your internet connection.")

    monkeypatch.setattr(reference, "require_reference", missing)
    monkeypatch.setattr(packages, "add_reference", add)
    assert main(["reference"]) == code
    output = capsys.readouterr()
    assert ("Installed in" in output.out) == (code == 0)
    assert ("Couldn’t install PyTorch" in output.err) == (code == 1)
    assert "Collecting torch" in output.err
