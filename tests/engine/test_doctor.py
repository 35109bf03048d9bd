import pytest

from engine import doctor
from engine.doctor import Outcome, examine_installation
from engine.errors import EngineError


def test_every_check_gives_a_finding() -> None:
    findings = examine_installation()
    assert [finding.title for finding in findings] == list(doctor.CHECKS)
    assert not any(finding.failed for finding in findings)
    (lstm,) = (finding.message for finding in findings if finding.title == "LSTM method")
    assert lstm.startswith(("tir (", "mps ("))


@pytest.mark.parametrize(
    ("error", "words"),
    [(EngineError("It is damaged.", "Restore it."), "Restore it."), (ValueError("x"), "ValueError: x")],
)
def test_a_check_that_breaks_is_a_problem_and_not_a_crash(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def broken() -> tuple[Outcome, str]:
        raise error

    monkeypatch.setattr(doctor, "CHECKS", {"Broken": broken})
    (finding,) = examine_installation()
    assert finding.failed
    assert words in finding.message
