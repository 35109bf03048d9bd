import io
import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Cancelled, DownloadError, EngineError, StorageError
from engine.model_store import worker
from engine.model_store.progress import Activity
from engine.model_store.worker import OnProgress, Task, run, serve
from engine.system.child_process import error_fields

CODE = """
import json, sys, time
from engine.errors import UnusableModel
from engine.model_store.progress import Activity
from engine.model_store.worker import serve

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
