from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.audio.track import AudioTrack
from app.library.generated_audio import TrackTruncated, generated_audio_of
from app.library.sounds import marks_text, read_track, write_sound
from engine.errors import DamagedFile
from engine.speech import SpokenWord
from tests.app.fakes import chunk_of, utterances_of
from tests.app.library.example_library import samples_16_bits, track_of

TEXT = "One, 🙂 one. Two. Three."


@pytest.mark.parametrize("made", [3, 2])
def test_a_track_comes_back_with_its_utterances_and_its_plan(tmp_path: Path, made: int) -> None:
    track = track_of(TEXT, made)
    write_sound(tmp_path / "s" / "a.flac", generated_audio_of(track))
    back = read_track(tmp_path / "s" / "a.flac", marks_text(generated_audio_of(track).marks))
    np.testing.assert_array_equal(back.samples(), samples_16_bits(track).astype(np.float32))
    assert (list(back.segments), back.planned) == (list(track.segments), track.planned)
    assert (back.whole, back.partial, back.finished) == (made == 3, made == 2, True)


def test_a_track_with_a_gap_restores_only_the_audio_before_it(tmp_path: Path) -> None:
    track, utterances = track_of(TEXT, 1), utterances_of(TEXT)
    track.skip_to(utterances[2].start)
    track.append(chunk_of(utterances[2], 3))
    track.finish()
    assert track.gaps
    write_sound(tmp_path / "a.flac", generated_audio_of(track))
    back = read_track(tmp_path / "a.flac", marks_text(generated_audio_of(track).marks))
    assert [segment.utterance for segment in back.segments] == [utterances[0]]
    assert back.partial
    assert back.missing == (utterances[0].end, None)


def test_words_are_restored_at_the_positions_they_play(tmp_path: Path) -> None:
    track = AudioTrack()
    for number, utterance in enumerate(utterances_of(TEXT)):
        words = (SpokenWord(utterance.start, utterance.end, 100 + number, 900),)
        track.append(replace(chunk_of(utterance, 3), words=words), 1.5)
    track.finish()
    write_sound(tmp_path / "a.flac", generated_audio_of(track))
    back = read_track(tmp_path / "a.flac", marks_text(generated_audio_of(track).marks))
    assert [back.words.of_chunk(number) for number in range(3)] == [track.words.of_chunk(number) for number in range(3)]
    assert [segment.speed for segment in back.segments] == [1.5] * 3
    assert back.words.of_chunk(2) == (SpokenWord(17, 23, 2102, 2900),)


def test_a_file_cut_off_or_without_sound_is_reported(tmp_path: Path) -> None:
    track, path = track_of(TEXT), tmp_path / "a.flac"
    write_sound(path, generated_audio_of(track_of("One.")))
    for _ in range(2):
        with pytest.raises(DamagedFile):
            read_track(path, marks_text(generated_audio_of(track).marks))
        path.write_bytes(b"no sound")
    for marks in ("{}", "[" * 100_000):
        with pytest.raises(DamagedFile):
            read_track(path, marks)


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.flac"
    write_sound(path, generated_audio_of(track_of("One.")))
    before = path.read_bytes()
    monkeypatch.setattr("app.library.sounds.to_pcm", lambda samples: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_sound(path, generated_audio_of(track_of(TEXT)))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.flac"]


def test_a_track_that_is_cut_in_the_meantime_is_not_written(tmp_path: Path) -> None:
    track = track_of(TEXT)
    made = generated_audio_of(track)
    track.cut(1000)
    with pytest.raises(TrackTruncated):
        write_sound(tmp_path / "a.flac", made)
    assert list(tmp_path.iterdir()) == []
