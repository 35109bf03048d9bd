"""Tests of a function in a separate process: arguments, results, and ways to end."""

import sys
import threading
from pathlib import Path

import pytest

from engine.errors import Canceled, DamagedFile, EngineError
from engine.system.paths import project_folder
from engine.system.remote import CallTimedOut, Connection, ProcessEnded, call
from tests.engine.system import called
from tests.engine.system.called import Began, Done, Kind, Thing
from tests.patience import PATIENCE_SECONDS, wait_until
from tests.processes import exists, running_until_killed

SMALL = Thing(Kind.BOOK, Path("/a"), (), {})
LARGE = Thing(Kind.BOOK, Path("/b"), (1, 2), {"small": SMALL}, b"\x00\xff" * 100_000)


def test_values_of_declared_types_go_in_and_come_out() -> None:
    reports: list[tuple[Kind, int]] = []
    assert call(called.given_back, LARGE, lambda *values: reports.append(values), 2) == [LARGE, LARGE]
    assert reports == [(Kind.BOOK, 0), (Kind.BOOK, 1)]


def test_it_runs_in_the_project_folder_as_it_is_asked_to() -> None:
    asked = call(called.environment, "SAID", environment={"SAID": "words"}, niceness=3)
    usual = call(called.environment, "SAID")
    assert asked == ("words", str(project_folder()), usual[2] + 3)
    assert usual[0] is None


def test_library_output_is_not_mistaken_for_a_result() -> None:
    lines = list[str]()
    assert call(called.noisy, on_error_line=lines.append, until_exit=True) == 3
    assert lines == ['{"result": 1}', '{"result": 2}']


def test_its_error_is_raised_here_as_the_nearest_type() -> None:
    with pytest.raises(EngineError, match=r"It is damaged\. Replace it\.") as caught:
        call(called.fails)
    assert type(caught.value) is DamagedFile.__base__


@pytest.mark.parametrize(
    ("way", "code", "words"),
    [("crash", 1, "SystemError: out of order"), ("abort", -6, "SIGABRT"), ("leave", 3, "code 3")],
)
def test_the_error_of_an_ended_process_states_its_code_and_cause(way: str, code: int, words: str) -> None:
    with pytest.raises(ProcessEnded) as caught:
        call(called.ends, way)
    assert (caught.value.code, caught.value.words) == (code, words)
    assert f"code {code} ({words})" in str(caught.value)


def test_a_silent_one_is_ended_once_canceled_or_its_time_is_over() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Canceled):
        call(called.ends, "hang", cancel=cancel)
    with pytest.raises(CallTimedOut, match=r"0\.1 seconds"):
        call(called.ends, "hang", seconds=0.1)


def test_its_own_children_end_with_it() -> None:
    cancel, numbers = threading.Event(), list[int]()

    def reports(number: int) -> None:
        numbers.append(number)
        cancel.set()

    with pytest.raises(Canceled):
        call(called.hangs_with_a_child, reports, cancel=cancel)
    wait_until(lambda: not exists(numbers[0]), "the end of the child's child")


def test_it_ends_with_this_process_however_that_ends(tmp_path: Path) -> None:
    number = tmp_path / "number"
    program = f"from {called.__name__} import calls_another; calls_another({str(number)!r})"
    with running_until_killed([sys.executable, "-c", program], cwd=project_folder()):
        wait_until(lambda: number.exists() and number.read_text(), "the child's child")
    wait_until(lambda: not exists(int(number.read_text())), "the end of the child's child")


def test_the_end_counts_where_it_is_waited_for() -> None:
    assert call(called.ends_badly_afterwards) == "a result"
    with pytest.raises(ProcessEnded, match="SIGSEGV"):
        call(called.ends_badly_afterwards, until_exit=True)


def test_a_result_without_the_declared_type_is_an_error() -> None:
    with pytest.raises(EngineError, match="is no int"):
        call(called.wrong)


def test_an_iterator_is_sent_value_by_value() -> None:
    reports: list[Began | Done] = []
    assert call(called.answers, iter((SMALL, LARGE)), reports.append, "all") == "the end"
    assert reports == [Began("all"), Done("/a"), Done("/b")]


def test_the_child_answers_each_message_until_the_connection_closes() -> None:
    with Connection(called.answers, "one") as child:
        reports = child.reports()
        assert next(reports) == (Began("one"),)
        for thing in (SMALL, LARGE):
            child.send(thing)
            assert next(reports) == (Done(str(thing.path)),)
        child.close(PATIENCE_SECONDS)
        assert list(reports) == []
    assert not exists(child.process_id)
