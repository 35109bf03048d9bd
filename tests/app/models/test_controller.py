import math
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.models import worker
from app.models.controller import ModelController
from app.models.row import ModelRow, RowButton
from app.models.worker import JobEnded, JobProgress, ModelJob, ModelTask, ModelWorker
from engine.errors import Canceled, DamagedFile, DownloadError
from engine.models.catalog import ModelEntry
from engine.models.progress import ModelActivity, ModelObserver, ModelProgress
from engine.models.store import ModelState
from engine.speech import PreparationEvent
from tests.app.fake_library import FULL_SIZE, STARTER, FakeLibrary
from tests.patience import PATIENCE_MS


class Desk:
    """A controller and its messages."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.library = FakeLibrary(folder)
        self.controller = ModelController(lambda: self.library, STARTER)
        self.done: list[ModelJob] = []
        self.failed: list[JobEnded] = []
        self.controller.done.connect(self.done.append)
        self.controller.failed.connect(self.failed.append)

    @property
    def row(self) -> ModelRow:
        row = self.controller.row(FULL_SIZE)
        assert row is not None
        return row

    def look(self) -> None:
        self.controller.look()
        self.wait()

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: not self.controller.busy)

    def wait_for_progress(self) -> None:
        self.qtbot.waitUntil(lambda: bool(self.row.progress and self.row.progress.bytes_done))


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, tmp_path)
    yield desk
    assert desk.controller.shut_down(PATIENCE_MS)


def test_looking_shows_the_models_and_which_one_is_in_use(desk: Desk) -> None:
    assert desk.controller.rows == ()
    desk.look()
    assert [(row.name, row.in_use) for row in desk.controller.rows][:2] == [(STARTER, True), (FULL_SIZE, False)]
    assert threading.get_ident() not in desk.library.threads
    desk.controller.set_in_use(FULL_SIZE)
    assert desk.row.in_use


def test_a_download_shows_its_progress_and_then_the_model(desk: Desk) -> None:
    desk.look()
    desk.library.hold.clear()
    desk.controller.fetch(FULL_SIZE)
    assert (desk.row.task, desk.row.button) == (ModelTask.FETCH, RowButton.CANCEL)
    desk.wait_for_progress()
    assert not desk.row.idle
    desk.library.hold.set()
    desk.wait()
    assert (desk.row.task, desk.row.progress, desk.row.status.state) == (None, None, ModelState.INSTALLED)
    assert [job.task for job in desk.done] == [ModelTask.LOOK, ModelTask.FETCH]


def test_stopping_is_no_failure(desk: Desk) -> None:
    desk.look()
    desk.library.hold.clear()
    desk.controller.fetch(FULL_SIZE)
    desk.wait_for_progress()
    desk.controller.cancel()
    assert desk.row.stopping
    desk.wait()
    assert not desk.failed
    assert desk.row.status.state is ModelState.ABSENT
    assert desk.library.discarded == [FULL_SIZE]


def test_a_failed_job_can_be_retried_with_the_jobs_waiting_behind_it(desk: Desk) -> None:
    desk.look()
    desk.library.error = DownloadError("No.", "Do.")
    paths = [Path("a.pth"), Path("b.pt")]
    desk.controller.import_files(paths, FULL_SIZE)
    desk.wait()
    assert [ended.error for ended in desk.failed] == [desk.library.error]
    assert [path for _, _, path in desk.library.asked] == paths[:1]
    desk.library.error = None
    desk.controller.retry()
    desk.wait()
    assert [path for _, _, path in desk.library.asked] == [paths[0], *paths]
    assert [job.path for job in desk.done[1:]] == paths


def test_stopping_also_stops_waiting_jobs(desk: Desk) -> None:
    desk.look()
    desk.library.hold.clear()
    desk.controller.import_files([Path("a.pth"), Path("b.pt")], FULL_SIZE)
    desk.wait_for_progress()
    desk.controller.cancel()
    desk.wait()
    assert len(desk.library.asked) == 1
    assert not desk.failed


def test_jobs_requested_after_stopping_are_done(desk: Desk) -> None:
    desk.look()
    desk.library.hold.clear()
    desk.controller.fetch(FULL_SIZE)
    desk.wait_for_progress()
    desk.controller.cancel()
    desk.controller.import_files([Path("a.pth")], FULL_SIZE)
    desk.qtbot.waitUntil(lambda: len(desk.library.asked) == 2)
    desk.library.hold.set()
    desk.wait()
    assert [job.task for job in desk.done] == [ModelTask.LOOK, ModelTask.IMPORT]


@pytest.mark.parametrize("error", [DownloadError("No.", "Do."), ZeroDivisionError("surprise")])
def test_the_models_are_listed_after_any_failure(desk: Desk, error: Exception) -> None:
    desk.look()
    desk.library.error = error
    desk.library.states[FULL_SIZE] = ModelState.PARTIAL
    desk.controller.fetch(FULL_SIZE)
    desk.wait()
    assert [ended.error for ended in desk.failed] == [error]
    assert desk.row.status.state is ModelState.PARTIAL


def test_an_unreadable_catalog_is_reported(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> tuple[ModelEntry, ...]:
        raise DamagedFile(Path("models.json"), "The list can’t be read.", "Install again.")

    monkeypatch.setattr(desk.library, "catalog", fail)
    desk.look()
    assert [type(ended.error) for ended in desk.failed] == [DamagedFile]


def test_looking_while_something_is_done_changes_nothing(desk: Desk) -> None:
    desk.look()
    desk.library.hold.clear()
    desk.controller.verify(FULL_SIZE)
    desk.controller.look()
    assert desk.row.task is ModelTask.VERIFY
    desk.library.hold.set()
    desk.wait()
    desk.controller.remove(FULL_SIZE)
    desk.wait()
    assert [job.task for job in desk.done] == [ModelTask.LOOK, ModelTask.VERIFY, ModelTask.REMOVE]


def test_shutdown_stops_current_work_and_keeps_received_data(desk: Desk) -> None:
    desk.look()
    desk.library.hold.clear()
    desk.controller.fetch(FULL_SIZE)
    desk.wait_for_progress()
    assert desk.controller.shut_down(PATIENCE_MS)
    assert FULL_SIZE not in desk.library.states
    assert not desk.library.discarded


def test_every_job_can_be_stopped_on_its_own() -> None:
    one, other = ModelJob(ModelTask.FETCH, "a"), ModelJob(ModelTask.FETCH, "a")
    one.cancel.set()
    assert one == other
    assert not other.cancel.is_set()


class Bench:
    """A worker and its progress reports."""

    def __init__(self, library: FakeLibrary) -> None:
        self.library = library
        self.told: list[JobProgress] = []
        self.worker = ModelWorker(lambda: library, self.take)

    def take(self, job: ModelJob, progress: JobProgress) -> None:
        self.told.append(progress)

    def work(self, task: ModelTask, path: Path | None = None) -> None:
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
    ("task", "path"),
    [(ModelTask.FETCH, None), (ModelTask.IMPORT, Path("a.pth")), (ModelTask.VERIFY, None), (ModelTask.REMOVE, None)],
)
def test_every_task_reaches_the_store(bench: Bench, task: ModelTask, path: Path | None) -> None:
    bench.work(task, path)
    assert bench.library.asked == [(task, FULL_SIZE, path)]


def test_making_a_model_ready_tells_its_steps(bench: Bench) -> None:
    bench.library.hold.clear()
    stopped = ModelJob(ModelTask.PREPARE, FULL_SIZE, device="cpu")
    told: list[tuple[ModelJob, JobProgress]] = []

    def stop(job: ModelJob, progress: JobProgress) -> None:
        told.append((job, progress))
        job.cancel.set()

    with pytest.raises(Canceled):
        ModelWorker(lambda: bench.library, stop).work(stopped)
    assert bench.library.made_ready == [(FULL_SIZE, "cpu")]
    assert (stopped, PreparationEvent("Compiling decoder", 5, 7)) in told


def test_progress_is_reported(bench: Bench) -> None:
    bench.work(ModelTask.FETCH)
    first, *_, last = bench.told
    assert isinstance(first, ModelProgress)
    assert isinstance(last, ModelProgress)
    assert first.bytes_done == 0
    assert last.bytes_done == last.bytes_total


def test_progress_is_reported_no_more_often_than_anyone_can_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "REPORT_SECONDS", math.inf)

    class Chatty(FakeLibrary):
        def verify(self, name: str, observe: ModelObserver, cancel: threading.Event | None) -> None:
            for done in range(10_001):
                observe(ModelProgress(name, ModelActivity.CHECKING, done, 10_000))

    bench = Bench(Chatty())
    bench.work(ModelTask.VERIFY)
    assert [each.bytes_done for each in bench.told if isinstance(each, ModelProgress)] == [0, 10_000]
