import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.library.database import FILE, LibraryUnusable
from app.library.library import SpeechLibrary
from app.library.records import QueueJob, QueueState
from engine.errors import DamagedFile
from engine.speech import Samples
from tests.app.library.example_library import MODEL, ExampleLibrary, request, samples_16_bits, track_of
from tests.patience import PATIENCE_MS, PATIENCE_SECONDS


@pytest.fixture
def library(tmp_path: Path, qtbot: QtBot) -> Iterator[SpeechLibrary]:
    library = SpeechLibrary(tmp_path / "library")
    library.limit(100)
    yield library
    assert library.shut_down(PATIENCE_MS)


def keep(library: SpeechLibrary, qtbot: QtBot, text: str) -> None:
    library.add_entry(request(text), MODEL)
    with qtbot.waitSignal(library.history_listed, check_params_cb=lambda listed: listed.kept_bytes > 0):
        library.save_audio(request(text), MODEL, track_of(text))


def test_spoken_text_plays_again_from_its_file(library: SpeechLibrary, qtbot: QtBot) -> None:
    keep(library, qtbot, "One. Two.")
    with qtbot.waitSignal(library.recalled) as recalled:
        library.recall(1)
    (report,) = recalled.args or ()
    assert report.kept.request == request("One. Two.")
    np.testing.assert_array_equal(report.track.samples(), samples_16_bits(track_of("One. Two.")).astype(np.float32))


def test_without_its_sound_only_the_request_comes_back(library: SpeechLibrary, qtbot: QtBot) -> None:
    library.add_entry(request("One."), MODEL)
    with qtbot.waitSignal(library.recalled) as recalled:
        library.recall(1)
    (report,) = recalled.args or ()
    assert (report.track, report.error, report.kept.request) == (None, None, request("One."))


def test_a_damaged_sound_is_reported(library: SpeechLibrary, qtbot: QtBot, tmp_path: Path) -> None:
    keep(library, qtbot, "One.")
    (sound,) = (tmp_path / "library" / "sounds").iterdir()
    sound.write_bytes(b"damaged")
    with qtbot.waitSignal(library.recalled) as recalled:
        library.recall(1)
    (report,) = recalled.args or ()
    assert report.track is None
    assert isinstance(report.error, DamagedFile)


def test_a_shorter_sound_does_not_replace_a_longer_one_of_equal_text(library: SpeechLibrary, qtbot: QtBot) -> None:
    keep(library, qtbot, "One. Two.")
    library.save_audio(request("One. Two."), MODEL, track_of("One. Two.", made=1))
    with qtbot.waitSignal(library.recalled) as recalled:
        library.recall(1)
    (report,) = recalled.args or ()
    assert report.track.whole


def test_a_sound_is_read_while_a_second_one_is_written(library: SpeechLibrary, qtbot: QtBot) -> None:
    keep(library, qtbot, "One.")
    library.add_entry(request("Two."), MODEL)
    held, going_on = threading.Event(), threading.Event()
    track = track_of("Two.")
    read = track.between

    def slowly(start: int, end: int) -> Samples:
        held.set()
        assert going_on.wait(PATIENCE_SECONDS)
        return read(start, end)

    track.between = slowly  # type: ignore[method-assign]
    library.save_audio(request("Two."), MODEL, track)
    assert held.wait(PATIENCE_SECONDS)
    with qtbot.waitSignal(library.recalled):
        library.recall(1)
    going_on.set()


def test_a_sound_that_cannot_be_written_is_reported_in_one_sentence(
    library: SpeechLibrary, qtbot: QtBot, tmp_path: Path
) -> None:
    library.add_entry(request("One."), MODEL)
    with qtbot.waitSignal(library.history_listed):
        pass
    shutil.rmtree(tmp_path / "library" / "sounds", ignore_errors=True)
    (tmp_path / "library" / "sounds").write_text("no folder")
    with qtbot.waitSignal(library.failed) as failed:
        library.save_audio(request("One."), MODEL, track_of("One."))
    assert isinstance((failed.args or [None])[0], LibraryUnusable)


def test_at_the_end_everything_asked_for_is_done_first(tmp_path: Path, qtbot: QtBot) -> None:
    library = SpeechLibrary(tmp_path / "library")
    library.limit(100)
    library.add_entry(request("One."), MODEL)
    library.save_audio(request("One."), MODEL, track_of("One. " * 50))
    library.add(QueueJob(request("Two."), MODEL))
    assert library.shut_down(PATIENCE_MS)
    example_library = ExampleLibrary(tmp_path / "library")
    assert example_library.with_sound() == ["One."]
    assert [item.title for item in example_library.queue.listed().items] == ["Two."]
    example_library.database.close()


@pytest.mark.parametrize(("in_charge", "state"), [(True, QueueState.WAITING), (False, QueueState.WORKING)])
def test_only_the_one_in_charge_puts_the_queue_in_order(
    tmp_path: Path, qtbot: QtBot, in_charge: bool, state: QueueState
) -> None:
    example_library = ExampleLibrary(tmp_path / "library")
    example_library.queue.add(QueueJob(request("One."), MODEL))
    example_library.queue.mark(1, QueueState.WORKING)
    example_library.database.close()
    with qtbot.waitSignal((library := SpeechLibrary(tmp_path / "library", in_charge)).queue_listed) as listed:
        pass
    (report,) = listed.args or ()
    assert [item.state for item in report.items] == [state]
    assert library.shut_down(PATIENCE_MS)


def test_a_damaged_library_is_reported_once(tmp_path: Path, qtbot: QtBot) -> None:
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / FILE).write_bytes(b"damaged" * 1000)
    library = SpeechLibrary(folder)
    told: list[object] = []
    library.set_aside.connect(told.append)
    with qtbot.waitSignals([library.history_listed, library.queue_listed]):
        pass
    assert len(told) == 1
    assert library.shut_down(PATIENCE_MS)


def test_an_unwritable_folder_is_reported(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "library").write_text("not a folder")
    library = SpeechLibrary(tmp_path / "library")
    with qtbot.waitSignal(library.failed) as failed:
        pass
    assert isinstance((failed.args or [None])[0], LibraryUnusable)
    assert library.shut_down(PATIENCE_MS)
