import logging
import os
from pathlib import Path

import numpy as np
import pytest

from engine.audio.speech_cache import SpeechCache, key_of
from engine.speech import Speech, Style


def speech(number: int, count: int = 1000) -> Speech:
    samples = np.random.default_rng(number).uniform(-1, 1, count).astype(np.float32)
    return Speech(samples, np.array([0, number, count]))


def test_cached_audio_is_found_bit_for_bit_by_this_and_other_processes(tmp_path: Path) -> None:
    kept = SpeechCache(tmp_path)
    kept.store_speech("a", speech(1))
    for each in (kept, SpeechCache(tmp_path)):
        found = each.find("a")
        assert found is not None
        assert found.samples.tobytes() == speech(1).samples.tobytes()
        assert found.edges.tolist() == [0, 1, 1000]
    assert kept.find("b") is None


def test_memory_holds_the_most_recently_used_audio_and_the_disk_more(tmp_path: Path) -> None:
    kept = SpeechCache(tmp_path, memory_bytes=8500)
    for number in range(3):
        kept.store_speech(str(number), speech(number))
        kept.find("0")
    for path in tmp_path.iterdir():
        path.unlink()
    assert [kept.find(str(number)) is not None for number in range(3)] == [True, False, True]


@pytest.mark.parametrize("memory_bytes", [0, 10**6])
def test_a_full_disk_cache_drops_the_least_recently_used_audio(tmp_path: Path, memory_bytes: int) -> None:
    kept = SpeechCache(tmp_path, memory_bytes, disk_bytes=15_000)  # three files
    for number in range(3):
        kept.store_speech(str(number), speech(number))
        os.utime(tmp_path / f"{number}.npz", (number, number))
    kept.find("0")
    kept.store_speech("3", speech(3))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.npz", "2.npz", "3.npz"]


@pytest.mark.parametrize("content", [b"", b"not speech", b"PK\x03\x04"])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.npz").write_bytes(content)
    assert SpeechCache(tmp_path).find("a") is None


def test_an_unwritable_cache_falls_back_to_memory_and_logs_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    kept = SpeechCache(tmp_path / "file")
    with caplog.at_level(logging.WARNING):
        kept.store_speech("a", speech(1))
    assert kept.find("a") is not None
    assert "can’t be cached" in caplog.text


def test_the_key_depends_on_everything_that_determines_the_samples() -> None:
    def style(value: float) -> Style:
        return Style(np.full(2, value, np.float32), np.zeros(2, np.float32))

    keys = {
        key_of("model cpu", "həlˈO", style(0), 1.0, 0),
        key_of("model metal", "həlˈO", style(0), 1.0, 0),
        key_of("model cpu", "həlˈu", style(0), 1.0, 0),
        key_of("model cpu", "həlˈO", style(1), 1.0, 0),
        key_of("model cpu", "həlˈO", style(0), 1.05, 0),
        key_of("model cpu", "həlˈO", style(0), 1.0, 1),
    }
    assert len(keys) == 6
    assert key_of("model cpu", "həlˈO", style(0), 1.0, 0) in keys
