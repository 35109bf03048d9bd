import math
import threading
from pathlib import Path

import pytest

from app.models import worker
from app.models.jobs import JobAdvanced, JobEnded, JobEvent, ModelJob, ModelsListed, Task
from app.models.worker import ModelWorker
from engine.errors import Cancelled, DamagedFile, DownloadError
from engine.model_store import Activity, ModelEntry, ModelObserver, ModelProgress, ModelState
from engine.speech import PreparationEvent
from tests.app.fake_library import FULL_SIZE, STARTER, FakeLibrary


class Bench:
    """A worker called directly, and what it has reported."""

    def __init__(self, library: FakeLibrary) -> None:
        self.library = library
        self.reports: list[JobEvent] = []
        self.worker = ModelWorker(lambda: library)
        self.worker.reported.connect(self.reports.append)

    def work(self, task: Task, model: str = FULL_SIZE, path: Path | None = None) -> JobEnded:
        self.worker.work(ModelJob(task, model, path))
        ended = self.reports[-1]
        assert isinstance(ended, JobEnded)
        return ended


@pytest.fixture
def bench(qapp: object, tmp_path: Path) -> Bench:
    return Bench(FakeLibrary(tmp_path))


def test_looking_lists_every_model_with_its_folder(bench: Bench, tmp_path: Path) -> None:
    assert bench.work(Task.LOOK, "").error is None
    listed = bench.reports[0]
    assert isinstance(listed, ModelsListed)
    assert [model.status.entry.name for model in listed.models][:2] == [STARTER, FULL_SIZE]
    assert listed.models[1].folder == tmp_path / FULL_SIZE
    assert [each.model for each in listed.voices] == [STARTER]
    assert not bench.library.asked


@pytest.mark.parametrize(
    ("task", "path"), [(Task.FETCH, None), (Task.IMPORT, Path("a.pth")), (Task.VERIFY, None), (Task.REMOVE, None)]
)
def test_every_task_reaches_the_store_and_ends_with_a_list(bench: Bench, task: Task, path: Path | None) -> None:
    assert bench.work(task, FULL_SIZE, path).error is None
    assert bench.library.asked == [(task, FULL_SIZE, path)]
    assert isinstance(bench.reports[-2], ModelsListed)


def test_making_a_model_ready_tells_its_steps(bench: Bench) -> None:
    bench.library.hold.clear()
    stopped = ModelJob(Task.PREPARE, FULL_SIZE, device="cpu")
    bench.worker.reported.connect(lambda report: isinstance(report, JobAdvanced) and stopped.cancel.set())
    bench.worker.work(stopped)
    assert bench.library.made_ready == [(FULL_SIZE, "cpu")]
    assert JobAdvanced(stopped, PreparationEvent("Compiling decoder", 5, 7)) in bench.reports
    ended = bench.reports[-1]
    assert isinstance(ended, JobEnded)
    assert isinstance(ended.error, Cancelled)


def test_progress_is_told(bench: Bench) -> None:
    bench.work(Task.FETCH)
    told = [report.progress for report in bench.reports if isinstance(report, JobAdvanced)]
    assert told[0].bytes_done == 0
    assert told[-1].bytes_done == told[-1].bytes_total


def test_progress_is_told_no_more_often_than_anybody_can_read(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "REPORT_SECONDS", math.inf)

    class Chatty(FakeLibrary):
        def verify(self, name: str, observe: ModelObserver, cancel: threading.Event | None) -> None:
            for done in range(10_001):
                observe(ModelProgress(name, Activity.CHECKING, done, 10_000))

    bench = Bench(Chatty())
    bench.work(Task.VERIFY)
    told = [report.progress.bytes_done for report in bench.reports if isinstance(report, JobAdvanced)]
    assert told == [0, 10_000]


@pytest.mark.parametrize("error", [DownloadError("No.", "Do."), ZeroDivisionError("surprise")])
def test_any_failure_is_a_report_and_the_models_are_listed_all_the_same(bench: Bench, error: Exception) -> None:
    bench.library.error = error
    bench.library.states[FULL_SIZE] = ModelState.PARTIAL
    assert bench.work(Task.FETCH).error is error
    assert isinstance(bench.reports[-2], ModelsListed)


def test_a_job_stopped_before_its_turn_does_nothing(bench: Bench) -> None:
    job = ModelJob(Task.FETCH, FULL_SIZE)
    job.cancel.set()
    bench.worker.work(job)
    ended = bench.reports[-1]
    assert isinstance(ended, JobEnded)
    assert isinstance(ended.error, Cancelled)
    assert not bench.library.asked


def test_a_catalogue_that_cannot_be_read_is_a_report(qapp: object) -> None:
    class Damaged(FakeLibrary):
        def catalogue(self) -> tuple[ModelEntry, ...]:
            raise DamagedFile(Path("models.json"), "The list cannot be read.", "Install again.")

    assert isinstance(Bench(Damaged()).work(Task.LOOK).error, DamagedFile)
