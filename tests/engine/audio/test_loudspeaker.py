import signal
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType, SimpleNamespace

import numpy as np
import pytest

from engine.audio.loudspeaker import BLOCK_SECONDS, Loudspeaker
from engine.errors import OutputError
from tests.patience import LOOK_AGAIN_AFTER_SECONDS, PATIENCE_SECONDS, wait_until

RATE_HZ = 24_000
BLOCK = round(BLOCK_SECONDS * RATE_HZ)


class PortAudioError(Exception):
    pass


class Stream:
    """A device whose buffer is full until `free` is set."""

    def __init__(self, **options: object) -> None:
        self.options = options
        self.written: list[np.ndarray] = []
        self.asked = threading.Event()
        self.free = threading.Event()
        self.free.set()
        self.gone = False
        self.writing = False
        self.torn = False
        self.ended = ""

    def start(self) -> None:
        pass

    def write(self, samples: np.ndarray) -> None:
        self.writing = True
        self.asked.set()
        assert self.free.wait(PATIENCE_SECONDS)
        self.writing = False
        if self.gone:
            raise PortAudioError("Unplugged")
        self.written.append(samples)

    def stop(self) -> None:
        self.ended = "stopped"

    def abort(self) -> None:
        self.ended = "aborted"
        self.torn = self.writing

    def close(self) -> None:
        pass


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> list[Stream]:
    made: list[Stream] = []

    def open_stream(**options: object) -> Stream:
        made.append(Stream(**options))
        return made[-1]

    fake = SimpleNamespace(OutputStream=open_stream, PortAudioError=PortAudioError)
    monkeypatch.setitem(__import__("sys").modules, "sounddevice", fake)
    return made


def test_samples_are_written_in_order_and_played_to_the_end(streams: list[Stream]) -> None:
    samples = np.random.default_rng(0).standard_normal(3 * BLOCK + 5).astype(np.float32)
    with Loudspeaker(RATE_HZ) as loudspeaker:
        loudspeaker.play(samples[: BLOCK + 7])
        loudspeaker.play(samples[BLOCK + 7 :])
    assert np.array_equal(np.concatenate(streams[0].written), samples[:, None])
    assert streams[0].ended == "stopped"


def test_the_next_samples_can_be_generated_while_the_first_play(streams: list[Stream]) -> None:
    with Loudspeaker(RATE_HZ) as loudspeaker:
        streams[0].free.clear()
        loudspeaker.play(np.ones(BLOCK, np.float32))
        assert streams[0].asked.wait(PATIENCE_SECONDS)
        loudspeaker.play(np.zeros(2, np.float32))
        assert streams[0].written == []
        streams[0].free.set()
    assert [len(samples) for samples in streams[0].written] == [BLOCK, 2]


def test_an_error_cuts_the_sound_within_a_block(streams: list[Stream]) -> None:
    def fail_while_playing() -> None:
        with Loudspeaker(RATE_HZ) as loudspeaker:
            streams[0].free.clear()
            loudspeaker.play(np.ones(100 * BLOCK, np.float32))
            assert streams[0].asked.wait(PATIENCE_SECONDS)
            threading.Thread(target=free_when_it_stops, args=(loudspeaker,)).start()
            raise ValueError("x")

    def free_when_it_stops(loudspeaker: Loudspeaker) -> None:
        loudspeaker._stopping.wait(PATIENCE_SECONDS)
        streams[0].free.set()

    with pytest.raises(ValueError, match="x"):
        fail_while_playing()
    assert len(streams[0].written) <= 1
    assert streams[0].ended == "aborted"


def test_an_interrupt_leaves_the_device_alone_until_it_has_taken_its_block(streams: list[Stream]) -> None:
    def be_interrupted() -> None:
        with Loudspeaker(RATE_HZ) as loudspeaker:
            streams[0].free.clear()
            loudspeaker.play(np.ones(10 * BLOCK, np.float32))
            assert streams[0].asked.wait(PATIENCE_SECONDS)
            loudspeaker._fed.wait = partial(note_and_wait, loudspeaker._fed.wait)
            threading.Thread(target=interrupt).start()

    def note_and_wait(wait: Callable[[], bool]) -> None:
        waits.append(1)
        wait()

    def interrupt() -> None:
        wait_until(lambda: waits, "the end of what was begun")
        while not noticed.wait(LOOK_AGAIN_AFTER_SECONDS):  # a signal just before the wait would be noticed after it
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        wait_until(lambda: len(waits) == 2 or streams[0].ended, "what becomes of the device")
        streams[0].free.set()

    def notice(number: int, frame: FrameType | None) -> None:
        noticed.set()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    waits: list[int] = []
    noticed = threading.Event()
    before = signal.signal(signal.SIGINT, notice)
    try:
        with pytest.raises(KeyboardInterrupt):
            be_interrupted()
    finally:
        signal.signal(signal.SIGINT, before)
    assert streams[0].ended == "aborted"
    assert not streams[0].torn


def test_an_unplugged_device_raises_an_error(streams: list[Stream]) -> None:
    def play_on_nothing() -> None:
        with Loudspeaker(RATE_HZ) as loudspeaker:
            streams[0].gone = True
            loudspeaker.play(np.ones(3, np.float32))

    with pytest.raises(OutputError, match="Unplugged"):
        play_on_nothing()
    assert streams[0].ended == "aborted"


def test_the_error_without_an_audio_device_suggests_the_out_option(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PortAudioError("Error querying device -1")

    fake = SimpleNamespace(OutputStream=refuse, PortAudioError=PortAudioError)
    monkeypatch.setitem(__import__("sys").modules, "sounddevice", fake)
    with pytest.raises(OutputError, match="--out"), Loudspeaker(24_000):
        pass
