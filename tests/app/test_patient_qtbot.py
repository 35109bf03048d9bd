import pytest
from PySide6.QtCore import QTimer
from pytestqt.exceptions import TimeoutError as NotHappened
from pytestqt.qtbot import QtBot

from tests.app.patient_qtbot import PatientQtBot


def test_every_test_has_the_patient_one(qtbot: QtBot) -> None:
    assert isinstance(qtbot, PatientQtBot)


def test_a_failed_wait_names_its_condition_and_the_values_it_uses(qtbot: QtBot) -> None:
    words = "never said"
    with pytest.raises(NotHappened, match="words in heard") as failed:
        qtbot.waitUntil(lambda heard=("something else",): words in heard, timeout=1)
    assert "'never said'" in str(failed.value)


@pytest.mark.parametrize("longest_ms", [0, 1, 30])
def test_running_timers_fire_before_the_wait_ends(qtbot: PatientQtBot, longest_ms: int) -> None:
    gone_off: list[int] = []
    for milliseconds in range(longest_ms + 1):
        QTimer.singleShot(milliseconds, lambda: gone_off.append(1))
    qtbot.wait_for_timers(longest_ms)
    assert len(gone_off) == longest_ms + 1


def test_a_method_that_never_holds_is_named_with_its_object(qtbot: QtBot) -> None:
    with pytest.raises(NotHappened, match="isalpha"):
        qtbot.waitUntil("12".isalpha, timeout=1)
