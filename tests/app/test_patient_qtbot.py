import pytest
from PySide6.QtCore import QTimer
from pytestqt.exceptions import TimeoutError as NotHappened
from pytestqt.qtbot import QtBot

from tests.app.patient_qtbot import PatientQtBot


def test_every_test_has_the_patient_one(qtbot: QtBot) -> None:
    assert isinstance(qtbot, PatientQtBot)


def test_what_does_not_happen_is_named_with_the_values_it_depends_on(qtbot: QtBot) -> None:
    words = "never said"
    with pytest.raises(NotHappened, match="words in heard") as failed:
        qtbot.waitUntil(lambda heard=("something else",): words in heard, timeout=1)
    assert "'never said'" in str(failed.value)


@pytest.mark.parametrize("longest_ms", [0, 1, 30])
def test_timers_that_run_have_gone_off_before_it_goes_on(qtbot: PatientQtBot, longest_ms: int) -> None:
    gone_off: list[int] = []
    for milliseconds in range(longest_ms + 1):
        QTimer.singleShot(milliseconds, lambda: gone_off.append(1))
    qtbot.wait_for_timers(longest_ms)
    assert len(gone_off) == longest_ms + 1


def test_a_method_that_never_holds_is_named_with_its_object(qtbot: QtBot) -> None:
    with pytest.raises(NotHappened, match="isalpha"):
        qtbot.waitUntil("12".isalpha, timeout=1)
