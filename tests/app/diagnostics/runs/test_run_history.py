import pytest

from app.diagnostics.runs.run_words import RunHistory
from tests.app.diagnostics_fakes import CONFIG, request


def fresh():
    from app.diagnostics.runs.run import DiagnosticsRun

    return DiagnosticsRun(request(), CONFIG)


def test_the_newest_is_first_and_numbered_on() -> None:
    history, runs = RunHistory(), [fresh() for _ in range(3)]
    for run in runs:
        history.add(run)
    assert [each.run for each in history.listed] == runs[::-1]
    assert [history.of(run).number for run in runs] == [1, 2, 3]


def test_a_known_run_stays_where_it_is() -> None:
    history, first, second = RunHistory(), fresh(), fresh()
    history.add(first)
    history.add(second)
    history.add(first)
    assert [each.run for each in history.listed] == [second, first]


def test_the_oldest_is_forgotten() -> None:
    history, runs = RunHistory(longest=2), [fresh() for _ in range(3)]
    history.add(runs[0])
    history.add(runs[1])
    history.add(runs[2])
    assert [each.run for each in history.listed] == [runs[2], runs[1]]


def test_a_run_that_is_not_listed_has_no_entry() -> None:
    history = RunHistory()
    history.add(fresh())
    with pytest.raises(KeyError, match="not listed"):
        history.of(fresh())


def test_a_run_can_be_given_a_name_and_have_it_taken() -> None:
    history, run = RunHistory(), fresh()
    history.add(run)
    before = history.of(run).name
    history.rename(run, "  Before   the change ")
    assert history.of(run).name == "Before the change"
    assert history.of(run).title.endswith(" · Before the change")
    history.rename(run, " ")
    assert history.of(run).name == before
