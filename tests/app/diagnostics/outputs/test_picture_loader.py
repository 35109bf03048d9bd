import threading

from pytestqt.qtbot import QtBot

from app.diagnostics.outputs.pictures import (
    NO_LONGER_KEPT,
    PictureLoader,
    PictureRequest,
    ProfilePicture,
    SignalPicture,
)
from app.diagnostics.stages.utterance_clock import clock_of
from engine.stages import stage_named
from engine.validator.data.results import Reading, Regime
from tests.app.diagnostics_fakes import CONFIG, UTTERANCES, MemoryArrays, alignment, arrays_of, request, row
from tests.patience import PATIENCE_SECONDS

CLOCK = clock_of(UTTERANCES[0], alignment(UTTERANCES[0]), CONFIG)


class SlowArrays(MemoryArrays):
    """Waits until it is let go, and remembers in which threads it was asked."""

    def __init__(self) -> None:
        super().__init__(arrays_of(request()).arrays)
        self.hold = threading.Event()
        self.threads: set[int] = set()

    def load(self, utterance: int, regime: str, reading: Reading, output: str):
        self.threads.add(threading.get_ident())
        assert self.hold.wait(PATIENCE_SECONDS)
        return super().load(utterance, regime, reading, output)


def asked(arrays: MemoryArrays, output: str = "f0") -> PictureRequest:
    return PictureRequest(arrays, row(stage_named("f0n"), output, Regime.COMPILED), CLOCK, 0, CLOCK.seconds, 100)


def test_pictures_are_made_in_another_thread(qtbot: QtBot) -> None:
    loader, arrays = PictureLoader(), SlowArrays()
    arrays.hold.set()
    wanted = asked(arrays)
    with qtbot.waitSignal(loader.loaded) as loaded:
        loader.load(wanted)
    assert loaded.args[0] is wanted
    assert isinstance(loaded.args[1], SignalPicture)
    assert threading.get_ident() not in arrays.threads


def test_only_the_newest_comes_back(qtbot: QtBot) -> None:
    loader, arrays = PictureLoader(), SlowArrays()
    seen: list[PictureRequest] = []
    loader.loaded.connect(lambda request, picture: seen.append(request))
    first, newest = asked(arrays), asked(arrays, "energy")
    loader.load(first)
    qtbot.waitUntil(lambda: bool(arrays.threads))
    for wanted in (asked(arrays), asked(arrays), newest):
        loader.load(wanted)
    arrays.hold.set()
    qtbot.waitUntil(lambda: not loader.busy)
    assert seen == [newest]
    assert arrays.loaded == 4  # two arrays of the picture that had begun, and of the newest


def test_busy_until_the_picture_is_there(qtbot: QtBot) -> None:
    loader, arrays = PictureLoader(), SlowArrays()
    busy: list[bool] = []
    loader.loaded.connect(lambda: busy.append(loader.busy))
    loader.load(asked(arrays))
    assert loader.busy
    arrays.hold.set()
    qtbot.waitUntil(lambda: busy == [False])
    loader.load(asked(arrays))
    loader.forget()
    assert not loader.busy


def test_what_is_forgotten_does_not_come(qtbot: QtBot) -> None:
    loader, arrays = PictureLoader(), SlowArrays()
    loader.load(asked(arrays))
    qtbot.waitUntil(lambda: bool(arrays.threads))
    loader.forget()
    wanted = asked(arrays, "energy")
    arrays.hold.set()
    with qtbot.waitSignal(loader.loaded) as loaded:
        loader.load(wanted)
    assert loaded.args[0] is wanted


def test_missing_arrays_are_said(qtbot: QtBot) -> None:
    loader = PictureLoader()
    with qtbot.waitSignal(loader.loaded) as loaded:
        loader.load(asked(MemoryArrays()))
    assert isinstance(loaded.args[1], ProfilePicture)
    assert loaded.args[1].why == NO_LONGER_KEPT


def test_whoever_asked_may_be_gone(qtbot: QtBot) -> None:
    arrays = SlowArrays()
    loader = PictureLoader()
    loader.load(asked(arrays))
    with qtbot.waitSignal(loader.destroyed):
        arrays.hold.set()
        loader.deleteLater()
        del loader
    qtbot.waitUntil(lambda: bool(arrays.loaded))
