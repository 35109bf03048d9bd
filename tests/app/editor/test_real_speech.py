"""A dragged duration changes the audio: the session with the built-in model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.audio.player import AudioPlayer
from app.audio.sound_player import SoundPlayer
from app.editor import shaping
from app.editor.session import EditorSession
from app.editor.text_edits import TextEdits
from app.speech.engine_worker import EngineWorker
from engine.runtime.presets import stretched
from engine.runtime.synthesizer import Synthesizer
from engine.speech import Preset, SpeechRequest, UtteranceEdit
from tests.app.fakes import FakeOutput
from tests.patience import PATIENCE_MS
from tests.starter_voices import FEMALE

pytestmark = pytest.mark.slow
FRAMES = 8


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path) -> Iterator[EditorSession]:
    player = AudioPlayer(FakeOutput())
    worker = EngineWorker(lambda: Synthesizer("starter", "cpu"), player)
    sounds = SoundPlayer(player, FakeOutput(), player)
    session = EditorSession(worker, sounds, TextEdits(tmp_path / "edits.json"), player)
    session.play_changes = False
    session.open(SpeechRequest("A quick fox.", FEMALE), 0)
    yield session
    session.close()
    assert worker.shut_down(PATIENCE_MS)


def test_a_longer_phoneme_plays_and_can_be_undone(qtbot: QtBot, session: EditorSession) -> None:
    qtbot.waitUntil(lambda: session.spoken is not None and not session.busy)
    first = session.spoken
    preview = session.preview
    session.change(shaping.with_frames(session.edit, {4: int(preview.frames[4]) + FRAMES}, 40.0), "Change Duration")
    expected = session.preview.seconds - preview.seconds
    assert expected == pytest.approx(FRAMES / preview.frames_per_second)
    qtbot.waitUntil(lambda: not session.busy)
    longer = session.spoken
    assert longer.contours.frames[4] == preview.frames[4] + FRAMES
    heard = (len(longer.chunk.samples) - len(first.chunk.samples)) / first.chunk.sample_rate_hz
    assert heard == pytest.approx(expected, abs=0.06)  # silence at both ends is trimmed
    session.undo.activeStack().undo()
    qtbot.waitUntil(lambda: not session.busy)
    np.testing.assert_array_equal(session.spoken.chunk.samples, first.chunk.samples)


def random_edit(random: np.random.Generator, edit: UtteranceEdit) -> UtteranceEdit:
    """A change of any kind at a random place, as the window makes them."""
    grown = sum(len(each.phonemes) - (each.end_phoneme - each.first_phoneme) for each in edit.respellings)
    first = int(random.integers(len(edit.phonemes) + grown))
    factor, hertz = float(random.uniform(0.7, 1.4)), tuple(random.uniform(100, 400, 3).tolist())
    match int(random.integers(9)):
        case 0:
            return shaping.with_frames(edit, {first: int(random.integers(1, 12))}, 40.0)
        case 1:
            return stretched(edit, [first], factor)
        case 2:
            return shaping.with_pitch_scaled(edit, {first: factor})
        case 3:
            return shaping.with_pitch_drawn(edit, {first: hertz})
        case 4:
            return shaping.with_energy_scaled(edit, {first: factor})
        case 5:
            return shaping.respelled(edit, first, first + 1, str(random.choice(["ə", "t", "ˈA", "lɪ"])))
        case 6:
            return shaping.without(edit, [first])
        case 7:
            return replace(edit, gain_db=float(random.uniform(-6, 6)))
        case _:
            return replace(edit, pause_seconds=float(random.uniform(0, 2)))


def test_undoing_1000_random_edits_gives_the_first_samples(qtbot: QtBot, session: EditorSession) -> None:
    random = np.random.default_rng(3)
    qtbot.waitUntil(lambda: session.spoken is not None and not session.busy)
    first = session.spoken.chunk.samples
    stack = session.undo.activeStack()
    while stack.count() < 1000:
        session.change(random_edit(random, session.edit), "Change")
        if stack.count() in (300, 700):
            qtbot.waitUntil(lambda: not session.busy)
            assert not np.array_equal(session.spoken.chunk.samples, first)
    while stack.canUndo():
        stack.undo()
    assert session.edit == session.unchanged
    qtbot.waitUntil(lambda: not session.busy)
    np.testing.assert_array_equal(session.spoken.chunk.samples, first)


def test_tags_in_the_text_are_shown_as_changes(qtbot: QtBot, session: EditorSession) -> None:
    session.open(SpeechRequest("A [slow]quick[/slow] [rise]fox.", FEMALE), 0)
    qtbot.waitUntil(lambda: session.spoken is not None and not session.busy)
    tags = session.edit
    assert tags == session.unchanged
    assert shaping.edited_phonemes(tags)
    assert (session.preview.frames != session.preview.model_frames).any()
    assert (session.preview.pitch != session.preview.model_pitch).any()
    session.apply(Preset.EMPHASIS, 0, 1)
    assert session.edit != tags
    session.reset_all()
    assert session.edit == tags


def test_a_preset_changes_the_audio_and_is_undone(qtbot: QtBot, session: EditorSession) -> None:
    qtbot.waitUntil(lambda: session.spoken is not None and not session.busy)
    first, (start, end) = session.spoken, (2, len(session.shaped.phonemes))
    session.apply(Preset.RISE, start, end)
    assert session.undo.activeStack().undoText() == "Rise as a Question"
    qtbot.waitUntil(lambda: not session.busy)
    assert not np.array_equal(session.spoken.contours.pitch, first.contours.pitch)
    session.undo.activeStack().undo()
    qtbot.waitUntil(lambda: not session.busy)
    np.testing.assert_array_equal(session.spoken.chunk.samples, first.chunk.samples)
