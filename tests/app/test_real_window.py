"""The real window, the real PortAudio, a recorded sound device: the recording equals the generated audio."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage

from app.system.display import NO_DISPLAY
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from engine.system.paths import project_folder
from tests.app.real_window import RATE_HZ
from tests.app.virtual_desk import OWN_SHARE, Recorder, SoundServer, running, virtual_display, wait_until
from tests.patience import PATIENCE_SECONDS

STOP_WITHIN_SECONDS = 0.2
RECORDER_DELAY_SECONDS = 0.1
"""The delay that the recorder itself may add: it receives the sink's audio in blocks."""
SAME_CORRELATION = 0.99
LONG_TEXT_STARTS_WITHIN_SECONDS = 2.0
SEEK_WITHIN_SECONDS = 0.3
SPOKEN = "The window speaks. You hear it, and so does this test."
ATTEMPTS = 3
"""A virtual sound server on a busy machine sometimes misses its turn."""


@dataclass
class Played:
    """The output of a scenario and its recording."""

    report: dict[str, Any]
    speech: np.ndarray
    heard: np.ndarray
    recorder: Recorder
    folder: Path


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with virtual_display() as name:
        yield name


@pytest.fixture
def server(tmp_path: Path) -> SoundServer:
    return SoundServer(tmp_path)


def undisturbed(play_in: Callable[[SoundServer, Path], Played], folder: Path) -> Played:
    """Play until the recording has no hole; a virtual sound server on a busy machine sometimes produces one.

    The speech itself is never silent, so that a hole is recognizable.
    """
    for attempt in range(ATTEMPTS):
        place = folder / str(attempt)
        place.mkdir()
        played = play_in(SoundServer(place), place)
        if (played.heard != 0).all():
            break
    return played


def environment(display: str, server: SoundServer, folder: Path) -> dict[str, str]:
    chosen = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "XDG_CONFIG_HOME": str(folder), "OMP_NUM_THREADS": "1"}
    return os.environ | server.environment | chosen


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*OWN_SHARE, *command],
        start_new_session=True,
        cwd=project_folder(),
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def play(scenario: str, display: str, server: SoundServer, folder: Path) -> Played:
    command = [sys.executable, "-m", "tests.app.real_window", scenario, str(folder)]
    with server.running(), Recorder(server).running() as recorder:
        finished = run(command, environment(display, server, folder))
    assert finished.returncode == 0, finished.stderr
    assert "Traceback" not in finished.stderr
    return read(folder, recorder)


def read(folder: Path, recorder: Recorder) -> Played:
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return Played(report, np.load(folder / "speech.npy"), sounding(recorder.samples()), recorder, folder)


def sounding(recording: np.ndarray) -> np.ndarray:
    """Return the recording without the silence before and after."""
    loud = np.flatnonzero(recording)
    return recording[loud[0] : loud[-1] + 1] if len(loud) else recording[:0]


def correlation(first: np.ndarray, second: np.ndarray) -> float:
    return float(first @ second / np.sqrt((first @ first) * (second @ second)))


def assert_same(heard: np.ndarray, expected: np.ndarray) -> None:
    """Compare sample for sample, without a gap, a repetition or anything left out."""
    assert abs(len(heard) - len(expected)) <= 2
    length = min(len(heard), len(expected))
    assert correlation(heard[:length], expected[:length]) > SAME_CORRELATION
    np.testing.assert_allclose(heard[:length], expected[:length], atol=1e-3)


def test_playback_matches_the_generated_audio(display: str, tmp_path: Path) -> None:
    played = undisturbed(partial(play, "play", display), tmp_path)
    assert_same(played.heard, played.speech)
    assert played.report["final_position"] == len(played.speech)
    assert played.report["banner"] == ""
    assert not QImage(str(played.folder / "window.png")).isNull()


def test_seeking_leaves_out_the_skipped_audio(display: str, tmp_path: Path) -> None:
    played = undisturbed(partial(play, "seek", display), tmp_path)
    left = played.report["from"]
    after = played.speech[2 * RATE_HZ :]
    before = played.heard[: -len(after)]
    assert_same(played.heard[-len(after) :], after)
    assert_same(before, played.speech[: len(before)])
    assert abs(len(before) - left) < SEEK_WITHIN_SECONDS * RATE_HZ


def test_stopping_a_long_text_is_silent_at_once(display: str, tmp_path: Path) -> None:
    played = undisturbed(partial(play, "stop", display), tmp_path)
    stop_at = played.report["stop_at"]
    assert played.report["silent_at"] - stop_at < STOP_WITHIN_SECONDS
    assert played.recorder.last_sound_at() - stop_at < STOP_WITHIN_SECONDS + RECORDER_DELAY_SECONDS
    assert_same(played.heard, played.speech[: len(played.heard)])


def test_playback_pauses_without_its_device_and_resumes_on_a_new_one(display: str, tmp_path: Path) -> None:
    played = undisturbed(partial(play_with_another_device, display), tmp_path)
    assert played.report["error"] == "AudioDeviceLost"
    assert played.report["said"] == "Playback paused: the audio device was disconnected. Nothing is lost."
    assert_same(played.heard, played.speech[played.report["position"] :])
    assert not QImage(str(played.folder / "lost.png")).isNull()


def play_with_another_device(display: str, server: SoundServer, folder: Path) -> Played:
    command = [sys.executable, "-m", "tests.app.real_window", "unplug", str(folder)]
    with running(command, cwd=project_folder(), env=environment(display, server, folder)) as window:
        with server.running():
            wait_until((folder / "playing").exists, "the window")
        wait_until((folder / "lost").exists, "the window's notice of the loss")
        with server.running(), Recorder(server).running() as recorder:
            (folder / "plugged").touch()
            assert window.wait(PATIENCE_SECONDS) == 0
    return read(folder, recorder)


def test_the_application_speaks_with_its_own_voice(
    display: str, server: SoundServer, tmp_path: Path, starter: Synthesizer
) -> None:
    """Everything here is real: `python -m app`, the bundled model, the compiled modules, the recorded device."""
    voice = starter.voices()[0].name
    chunks = starter.synthesize(SpeechRequest(SPOKEN, voice))
    expected = sounding(np.concatenate([chunk.samples for chunk in chunks]))
    picture = tmp_path / "window.png"
    command = [sys.executable, "-m", "app", "--text", SPOKEN, "--voice", voice, "--screenshot", str(picture)]
    with server.running():
        for _ in range(ATTEMPTS):
            with Recorder(server).running() as recorder:
                finished = run(command, environment(display, server, tmp_path))
            assert (finished.returncode, finished.stdout) == (0, "")
            assert "Traceback" not in finished.stderr
            heard = sounding(recorder.samples())
            if len(heard) == len(expected):
                break
    assert abs(len(heard) - len(expected)) <= 2
    length = min(len(heard), len(expected))
    assert correlation(heard[:length], expected[:length]) > SAME_CORRELATION
    assert not QImage(str(picture)).isNull()


def test_a_long_text_starts_soon_plays_without_gaps_and_stops_immediately(
    display: str, server: SoundServer, tmp_path: Path, starter: Synthesizer
) -> None:
    for _ in range(ATTEMPTS):
        played = play("long", display, server, tmp_path)
        expected = sounding(played.speech[: played.report["final_position"] + RATE_HZ])[: len(played.heard)]
        if correlation(played.heard, expected) > SAME_CORRELATION:
            break
    report = played.report
    assert report["first_sound_at"] - report["spoke_at"] < LONG_TEXT_STARTS_WITHIN_SECONDS
    assert played.recorder.last_sound_at() - report["stop_at"] < STOP_WITHIN_SECONDS + RECORDER_DELAY_SECONDS
    assert_same(played.heard, expected)


def test_without_a_sound_server_speech_is_generated_and_shown(
    display: str, server: SoundServer, tmp_path: Path, starter: Synthesizer
) -> None:
    picture = tmp_path / "window.png"
    command = [sys.executable, "-m", "app", "--text", SPOKEN, "--screenshot", str(picture)]
    finished = run(command, environment(display, server, tmp_path))
    assert (finished.returncode, finished.stdout) == (0, "")
    assert "Traceback" not in finished.stderr
    assert not QImage(str(picture)).isNull()


def test_without_a_display_the_application_explains_the_remedy(server: SoundServer, tmp_path: Path) -> None:
    bare = environment("", server, tmp_path)
    del bare["QT_QPA_PLATFORM"]
    finished = run([sys.executable, "-m", "app"], bare)
    assert finished.returncode == 1
    assert finished.stderr == f"{NO_DISPLAY}\n"
