import io
import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Cancelled, DownloadError, EngineError, StorageError
from engine.models import worker
from engine.models.progress import Activity, ModelProgress, Speedometer
from engine.models.worker import OnProgress, Task, run, serve
from engine.system.child_process import error_fields

CODE = """
import json, sys, time
from engine.errors import UnusableModel
from engine.models.progress import Activity
from engine.models.worker import serve

def work(plan, on_progress):
    on_progress(Activity.CHECKING, 1, 2)
    if plan["do"] == "fail":
        raise UnusableModel("It is wrong.", "Take another.")
    if plan["do"] == "crash":
        raise SystemError("out of order")
    if plan["do"] == "hang":
        time.sleep(600)
    import os
    return {"plan": plan, "said": os.environ["SAID"]}

sys.exit(serve(work))
"""


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a_child.py").write_text(CODE)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}")

    def work(do: str) -> Task:
        return Task("a_child", {"do": do}, {"SAID": "words"})

    return work


def ignore(activity: Activity, done: int, total: int) -> None:
    """No report is wanted."""


def test_plan_and_environment_go_in_reports_and_result_come_out(child: Any) -> None:
    seen: list[tuple[Activity, int, int]] = []
    result = run(child("work"), lambda *report: seen.append(report))
    assert result == {"plan": {"do": "work"}, "said": "words"}
    assert seen == [(Activity.CHECKING, 1, 2)]


def test_its_error_is_raised_here(child: Any) -> None:
    with pytest.raises(EngineError, match=r"It is wrong\. Take another\.") as caught:
        run(child("fail"), ignore)
    assert type(caught.value).__name__ == "UnusableModel"


def test_a_crash_is_a_sentence_with_its_last_words(child: Any) -> None:
    with pytest.raises(EngineError, match=r"ended with code 1 \(SystemError: out of order\)"):
        run(child("crash"), ignore)


def test_it_is_stopped_at_once(child: Any) -> None:
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        run(child("hang"), lambda *report: cancel.set(), cancel)


def served(work: Any, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    output = io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO("{}"))
    monkeypatch.setattr(sys, "stdout", output)
    serve(work)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def test_reports_are_now_and_then_and_always_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "PROGRESS_SECONDS", 1e9)

    def work(plan: dict[str, Any], on_progress: OnProgress) -> dict[str, Any]:
        for done in range(101):
            on_progress(Activity.FETCHING, done, 100)
        return {}

    lines = served(work, monkeypatch)
    assert [line.get("done") for line in lines] == [0, 100, None]


@pytest.mark.parametrize("kind", [DownloadError, StorageError, EngineError])
def test_errors_keep_their_kind(monkeypatch: pytest.MonkeyPatch, kind: type[EngineError]) -> None:
    def work(plan: dict[str, Any], on_progress: OnProgress) -> dict[str, Any]:
        raise kind("What.", "How.")

    assert served(work, monkeypatch) == [error_fields(kind("What.", "How."))]


class Watch:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_speed_and_time_left_are_those_of_the_last_seconds() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = Speedometer("m", seen.append, watch)
    for second in range(25):
        watch.seconds = float(second)
        done = 100 * second if second < 10 else 1000 + 10 * (second - 10)
        meter.show(Activity.FETCHING, done, 2000)
    assert seen[0].bytes_per_second is None
    assert seen[5].bytes_per_second == pytest.approx(100)
    assert seen[5].seconds_left == pytest.approx(15)
    assert seen[-1].bytes_per_second == pytest.approx(10)
    assert seen[-1].seconds_left == pytest.approx((2000 - 1140) / 10)


def test_another_activity_has_a_speed_of_its_own() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = Speedometer("m", seen.append, watch)
    meter.show(Activity.FETCHING, 0, 10)
    watch.seconds = 2.0
    meter.show(Activity.FETCHING, 10, 10)
    meter.show(Activity.CONVERTING, 0, 10)
    assert (seen[1].bytes_per_second, seen[1].seconds_left) == (5.0, 0.0)
    assert (seen[2].bytes_per_second, seen[2].seconds_left) == (None, None)


def test_waiting_for_a_connection_is_no_slowness() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = Speedometer("m", seen.append, watch)
    for second in range(60):
        watch.seconds = float(second)
        meter.show(Activity.FETCHING, 100 * max(second - 50, 0), 10_000)
    assert seen[-1].bytes_per_second == pytest.approx(100)


def test_what_stands_still_has_no_speed() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = Speedometer("m", seen.append, watch)
    for second in range(9):
        watch.seconds = float(second)
        meter.show(Activity.FETCHING, 5, 10)
    assert seen[-1].bytes_per_second is None


def test_how_long_it_took_to_begin_says_nothing_about_the_time_left() -> None:
    watch, seen = Watch(), list[ModelProgress]()
    meter = Speedometer("m", seen.append, watch)
    for seconds, done in ((0.0, 0), (2.0, 1), (2.5, 1000)):
        watch.seconds = seconds
        meter.show(Activity.CONVERTING, done, 2000)
    assert [progress.seconds_left for progress in seen] == [None, None, 2.5]
