from types import SimpleNamespace

import numpy as np
import pytest

from engine.errors import OutputError
from engine.loudspeaker import Loudspeaker


class Stream:
    def __init__(self, **options: object) -> None:
        self.options = options
        self.written: list[np.ndarray] = []
        self.ended = ""

    def start(self) -> None:
        pass

    def write(self, samples: np.ndarray) -> None:
        self.written.append(samples)

    def stop(self) -> None:
        self.ended = "stopped"

    def abort(self) -> None:
        self.ended = "aborted"

    def close(self) -> None:
        pass


class PortAudioError(Exception):
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
    with Loudspeaker(24_000) as loudspeaker:
        loudspeaker.play(np.ones(3, np.float32))
        loudspeaker.play(np.zeros(2, np.float32))
    assert [samples.shape for samples in streams[0].written] == [(3, 1), (2, 1)]
    assert streams[0].ended == "stopped"


def test_an_error_cuts_the_sound(streams: list[Stream]) -> None:
    with pytest.raises(ValueError, match="x"), Loudspeaker(24_000):
        raise ValueError("x")
    assert streams[0].ended == "aborted"


def test_no_device_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PortAudioError("Error querying device -1")

    fake = SimpleNamespace(OutputStream=refuse, PortAudioError=PortAudioError)
    monkeypatch.setitem(__import__("sys").modules, "sounddevice", fake)
    with pytest.raises(OutputError, match="write a file with --out"), Loudspeaker(24_000):
        pass
