"""A change of the lexicon with the built-in model: only the sentence with the word sounds different."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.speech.controller import SpeechController
from app.speech.pronunciations import OutdatedPronunciations
from engine.audio.speech_cache import SpeechCache
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from engine.text.g2p.user_lexicon.entries import LexiconEntry
from engine.text.g2p.user_lexicon.store import UserLexicon
from tests.app.fakes import FakeOutput, list_voices
from tests.patience import PATIENCE_MS
from tests.starter_voices import FEMALE

pytestmark = pytest.mark.slow
TEXT = "A quick brown fox jumps over the lazy dog today.\n\nThe Zorgs came to town.\n\nThis sentence is about tea."


@pytest.fixture
def speech(qtbot: QtBot, tmp_path: Path) -> Iterator[SpeechController]:
    cache = SpeechCache(tmp_path / "speech")
    speech = SpeechController(lambda: Synthesizer("starter", "cpu", kept=cache), FakeOutput(), list_voices=list_voices)
    yield speech
    assert speech.shut_down(PATIENCE_MS)


def test_only_the_sentence_with_the_word_sounds_different(qtbot: QtBot, speech: SpeechController) -> None:
    outdated = OutdatedPronunciations(speech, speech)

    def wait() -> None:
        qtbot.waitUntil(lambda: speech.track.whole and not speech.activity.making)

    def samples() -> list[np.ndarray]:
        return [speech.track.between(each.start, each.end) for each in speech.track.segments]

    speech.speak(SpeechRequest(TEXT, FEMALE))
    wait()
    before = samples()
    assert len(before) == 3
    for entry, texts in (
        (LexiconEntry("tease", say="x"), []),
        (LexiconEntry("Zorg", phonemes="zˈɑɹt"), ["The Zorgs came to town."]),
    ):
        UserLexicon().add([entry])
        with qtbot.waitSignal(outdated.found) as found:
            outdated.look()
        assert [each.text for each in found.args[0]] == texts
        wait()
    after = samples()
    np.testing.assert_array_equal(after[0], before[0])
    assert not np.array_equal(after[1], before[1])
    np.testing.assert_array_equal(after[2], before[2])
