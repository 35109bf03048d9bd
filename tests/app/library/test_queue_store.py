from collections.abc import Iterator
from pathlib import Path

import pytest

from app.library.queue_store import QueueStore
from app.library.records import QueueJob, QueueState
from engine.speech import SpeechRequest
from tests.app.library.example_library import MODEL, ExampleLibrary, request


@pytest.fixture
def example_library(tmp_path: Path) -> Iterator[ExampleLibrary]:
    example_library = ExampleLibrary(tmp_path / "library")
    yield example_library
    example_library.database.close()


@pytest.fixture
def queue(example_library: ExampleLibrary) -> QueueStore:
    for text in ("One.", "Two.", "Three."):
        example_library.queue.add(QueueJob(request(text), MODEL))
    return example_library.queue


def titles(queue: QueueStore) -> list[str]:
    return [item.title for item in queue.listed().items]


def test_a_wish_comes_back_as_it_was_given(example_library: ExampleLibrary) -> None:
    request = SpeechRequest("", "af_heart(2)+am_adam(1)", 1.5, pause_scale=2.0, language="en-GB")
    job = QueueJob(request, "kokoro-82m", Path("/a/b.m4b"), Path("/a/b.epub"))
    example_library.queue.add(job)
    (item,) = example_library.queue.listed().items
    assert (item.job, item.title, item.state) == (job, "b.epub", QueueState.WAITING)


def test_items_are_moved_but_not_beyond_the_ends(queue: QueueStore) -> None:
    first, _, third = (item.number for item in queue.listed().items)
    queue.move(third, -1)
    assert titles(queue) == ["One.", "Three.", "Two."]
    queue.move(first, 5)
    assert titles(queue) == ["Three.", "Two.", "One."]
    queue.move(99, 1)
    queue.add(QueueJob(request("Four."), MODEL))
    assert titles(queue) == ["Three.", "Two.", "One.", "Four."]


def test_items_working_at_shutdown_wait_again(queue: QueueStore) -> None:
    first, second, third = (item.number for item in queue.listed().items)
    queue.mark(first, QueueState.DONE)
    queue.mark(second, QueueState.WORKING)
    queue.mark(third, QueueState.FAILED, "It did not work.")
    queue.wait_again()
    states = [(item.state, item.message) for item in queue.listed().items]
    assert states == [(QueueState.DONE, ""), (QueueState.WAITING, ""), (QueueState.FAILED, "It did not work.")]


def test_items_are_removed(queue: QueueStore) -> None:
    first, second, _ = (item.number for item in queue.listed().items)
    queue.remove(first)
    queue.mark(second, QueueState.DONE)
    queue.remove_done()
    assert titles(queue) == ["Three."]


def test_an_item_whose_state_is_damaged_has_failed(example_library: ExampleLibrary, queue: QueueStore) -> None:
    example_library.database.execute("UPDATE item SET state = 'waitinf' WHERE title = 'Two.'")
    assert [item.state for item in queue.listed().items] == [QueueState.WAITING, QueueState.FAILED, QueueState.WAITING]
