import math
import threading
from pathlib import Path

import pytest

from app.models import worker
from app.models.jobs import JobProgress, ModelJob, Task
from app.models.worker import ModelWorker
from engine.errors import Cancelled
from engine.models.progress import Activity, ModelObserver, ModelProgress
from engine.speech import PreparationEvent
from tests.app.fake_library import FULL_SIZE, STARTER, FakeLibrary


class Bench:
    """A worker, and the progress that it has told."""

    def __init__(self, library: FakeLibrary) -> None:
        self.library = library
        self.told: list[JobProgress] = []
        self.worker = ModelWorker(lambda: library, self.take)

    def take(self, job: ModelJob, progress: JobProgress) -> None:
        self.told.append(progress)

    def work(self, task: Task, path: Path | None = None) -> None:
        self.worker.work(ModelJob(task, FULL_SIZE, path))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(FakeLibrary(tmp_path))


def test_every_model_is_listed_with_its_folder(bench: Bench, tmp_path: Path) -> None:
    listed = bench.worker.listed()
    assert [model.status.entry.name for model in listed.models][:2] == [STARTER, FULL_SIZE]
    assert listed.models[1].folder == tmp_path / FULL_SIZE
    assert [each.model for each in listed.voices] == [STARTER]
    assert not bench.library.asked


@pytest.mark.parametrize(
    ("task", "path"), [(Task.FETCH, None), (Task.IMPORT, Path("a.pth")), (Task.VERIFY, None), (Task.REMOVE, None)]
)
def test_every_task_reaches_the_store(bench: Bench, task: Task, path: Path | None) -> None:
    bench.work(task, path)
    assert bench.library.asked == [(task, FULL_SIZE, path)]


def test_making_a_model_ready_tells_its_steps(bench: Bench) -> None:
    bench.library.hold.clear()
    stopped = ModelJob(Task.PREPARE, FULL_SIZE, device="cpu")
    told: list[tuple[ModelJob, JobProgress]] = []

    def stop(job: ModelJob, progress: JobProgress) -> None:
        told.append((job, progress))
        job.cancel.set()

    with pytest.raises(Cancelled):
        ModelWorker(lambda: bench.library, stop).work(stopped)
    assert bench.library.made_ready == [(FULL_SIZE, "cpu")]
    assert (stopped, PreparationEvent("Compiling decoder", 5, 7)) in told


def test_progress_is_told(bench: Bench) -> None:
    bench.work(Task.FETCH)
    first, *_, last = bench.told
    assert isinstance(first, ModelProgress)
    assert isinstance(last, ModelProgress)
    assert first.bytes_done == 0
    assert last.bytes_done == last.bytes_total


def test_progress_is_told_no_more_often_than_anybody_can_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "REPORT_SECONDS", math.inf)

    class Chatty(FakeLibrary):
        def verify(self, name: str, observe: ModelObserver, cancel: threading.Event | None) -> None:
            for done in range(10_001):
                observe(ModelProgress(name, Activity.CHECKING, done, 10_000))

    bench = Bench(Chatty())
    bench.work(Task.VERIFY)
    assert [each.bytes_done for each in bench.told if isinstance(each, ModelProgress)] == [0, 10_000]
