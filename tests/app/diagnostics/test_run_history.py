import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.run_history import RunHistory
from tests.app.diagnostics_fakes import CONFIG, request


def fresh():
    from app.diagnostics.run import DiagnosticsRun

    return DiagnosticsRun(request(), CONFIG)


def test_the_newest_is_first_and_numbered_on(qtbot: QtBot) -> None:
    history, runs = RunHistory(), [fresh() for _ in range(3)]
    for run in runs:
        with qtbot.waitSignal(history.changed):
            history.add(run)
    assert history.runs == tuple(reversed(runs))
    assert [history.number_of(run) for run in runs] == [1, 2, 3]


def test_a_known_run_stays_where_it_is(qtbot: QtBot) -> None:
    history, first, second = RunHistory(), fresh(), fresh()
    history.add(first)
    history.add(second)
    with qtbot.assertNotEmitted(history.changed):
        history.add(first)
    assert history.runs == (second, first)


def test_the_oldest_is_forgotten() -> None:
    history, runs = RunHistory(longest=2), [fresh() for _ in range(3)]
    history.add(runs[0])
    history.add(runs[1])
    history.add(runs[2])
    assert history.runs == (runs[2], runs[1])
    with pytest.raises(StopIteration):
        history.number_of(runs[0])
