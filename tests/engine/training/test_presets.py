"""The table of the presets: what a model with known habits teaches, and what the trained one does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.runtime.presets import amounts, table_path
from engine.runtime.synthesizer import Synthesizer
from engine.speech import Contours, Preset, SpeechRequest, Utterance, VoiceInfo, WrittenWord
from engine.training.presets import CHOSEN_RISE_CENTS, POINTS, write_table
from tests.trained import needs_trained

PITCH_HZ, FALL_CENTS, STRESS_FRAMES = 200.0, -240.0, 6


class Talker:
    """A model whose pitch is constant but for a fall at the end of a sentence, and that makes stressed words longer."""

    model = "talker"

    def __init__(self, rise_cents: float = 0.0) -> None:
        self._rise_cents = rise_cents

    def voices(self) -> tuple[VoiceInfo, ...]:
        found = (("one", "en-US", ""), ("two", "en-GB", ""), ("three", "ja", ""), ("blend", "en-US", "one(1)+two(1)"))
        return tuple(VoiceInfo(name, name, language, "", recipe=recipe) for name, language, recipe in found)

    def contours(self, request: SpeechRequest) -> Iterator[tuple[Utterance, Contours]]:
        assert request.voice in ("one", "two")
        phonemes, words, frames, cents = "", [], [], list[float]()
        for text in request.text.split():
            stress = "" if "(-2)" in text else "ˈ"
            sounds = f"b{stress}ab"
            ending = text[-1] if text == request.text.split()[-1] else ""
            ends = {".": FALL_CENTS, "?": FALL_CENTS + self._rise_cents}.get(ending, 0.0)
            words.append(WrittenWord(0, 1, len(phonemes), len(phonemes) + len(sounds)))
            phonemes += f"{sounds} "
            frames += [round(4 / request.speed)] * len(sounds) + [2]
            cents += [ends] * 2 * sum(frames[-len(sounds) - 1 :])
        count = np.array(frames)
        pitch = (PITCH_HZ * 2 ** (np.array(cents) / 1200)).astype(np.float32)
        energy = np.ones_like(pitch)
        utterance = Utterance(0, request.text, phonemes, 0, len(request.text), words=tuple(words))
        yield utterance, Contours(count, count, pitch, pitch, energy, energy, 40.0)


def test_differences_are_learned_and_small_ones_replaced(tmp_path: Path) -> None:
    path, lines = tmp_path / "presets.json", list[str]()
    table = write_table(Talker(), path, lines.append)  # type: ignore[arg-type]
    assert json.loads(path.read_text()) == json.loads(json.dumps(table))
    assert (table["voices"], table["pairs"]["fall"]) == (2, 24)
    found = table["presets"]
    assert found["rise"]["pitch_cents"] == {"origin": "chosen", "used": CHOSEN_RISE_CENTS, "measured": (0.0,) * POINTS}
    assert found["fall"]["pitch_cents"]["used"] == pytest.approx([FALL_CENTS] * POINTS, abs=0.1)
    assert found["fall"]["pitch_cents"]["origin"] == "learned"
    assert found["emphasis"]["stretch"]["used"] == pytest.approx(4 / 3, abs=0.01)
    assert found["emphasis"]["energy"]["origin"] == "chosen"
    assert found["slow"]["stretch"]["used"] == pytest.approx(1.25, abs=0.01)
    assert lines


def test_a_model_that_raises_its_questions_teaches_the_rise(tmp_path: Path) -> None:
    table = write_table(Talker(300.0), tmp_path / "presets.json", lambda line: None)  # type: ignore[arg-type]
    rise = table["presets"]["rise"]["pitch_cents"]
    assert rise["origin"] == "learned"
    assert rise["used"] == pytest.approx([300.0] * POINTS, abs=0.1)


def test_the_table_names_learned_amounts() -> None:
    for entries in json.loads(table_path().read_text())["presets"].values():
        for entry in entries.values():
            assert entry["origin"] in ("learned", "chosen")
            assert (entry["used"] == entry["measured"]) is (entry["origin"] == "learned")
    assert amounts()[Preset.RISE].pitch_cents == CHOSEN_RISE_CENTS
    assert amounts()[Preset.DEEMPHASIS].opposite.stretch == pytest.approx(amounts()[Preset.EMPHASIS].stretch)


class TwoVoices:
    """A synthesizer with only two of its voices."""

    def __init__(self, synthesizer: Synthesizer) -> None:
        self.model = synthesizer.model
        self.contours = synthesizer.contours
        self.voices = lambda: tuple(each for each in synthesizer.voices() if each.name in ("af_heart", "am_michael"))


@pytest.mark.slow
@needs_trained
def test_the_trained_model_teaches_the_table(trained_synthesizer: Synthesizer, tmp_path: Path) -> None:
    """Two voices give about the means of all: the same quantities are learned, and in the same direction."""
    shipped = json.loads(table_path().read_text())["presets"]
    found = write_table(TwoVoices(trained_synthesizer), tmp_path / "presets.json", lambda line: None)["presets"]  # type: ignore[arg-type]
    assert found["rise"]["pitch_cents"]["origin"] == "chosen"
    fall = np.array(found["fall"]["pitch_cents"]["used"])
    assert fall[POINTS // 2 :].max() < -50
    assert np.abs(fall - shipped["fall"]["pitch_cents"]["used"]).max() < 250
    for preset in ("emphasis", "slow", "fast"):
        assert found[preset]["stretch"]["used"] == pytest.approx(shipped[preset]["stretch"]["used"], rel=0.1)
