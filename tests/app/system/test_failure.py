import logging

import pytest

from app.system.failure import failure_of
from engine.errors import Cancelled


def raising(error: Exception) -> None:
    raise error


@pytest.mark.parametrize(("error", "logged"), [(Cancelled("It was stopped."), 0), (KeyError("phonemes"), 1)])
def test_a_failure_is_handed_on_and_logged_where_nobody_expected_it(
    error: Exception, logged: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert failure_of(lambda: raising(error)) is error
    assert len(caplog.records) == logged


def test_work_that_is_done_has_no_failure() -> None:
    done: list[int] = []
    assert failure_of(lambda: done.append(1)) is None
    assert done == [1]
