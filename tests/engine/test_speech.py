import dataclasses

import numpy as np
import pytest

from engine.errors import EngineError, UnknownVoice
from engine.speech import AudioChunk, Notice, Plan, SpeechRequest, Utterance, WrittenWord


def test_data_is_frozen() -> None:
    request = SpeechRequest("Hello.", "af_sally")
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.text = "Bye."  # type: ignore[misc]


def test_a_chunk_knows_how_long_it_is() -> None:
    chunk = AudioChunk(Utterance(0, "Hi.", "hI.", 0, 3), 1, np.zeros(12_000, np.float32), 24_000)
    assert chunk.seconds == 0.5


def test_an_error_reads_as_what_is_wrong_and_what_to_do() -> None:
    assert str(EngineError("The disk is full.", "Free some space.")) == "The disk is full. Free some space."
    assert str(EngineError("Stopped.")) == "Stopped."


def test_an_unknown_voice_carries_its_fields() -> None:
    error = UnknownVoice("hart", ("af_heart",), "af_heart")
    assert (error.name, error.known, error.nearest) == ("hart", ("af_heart",), "af_heart")


def test_a_part_and_its_plan_have_their_places_in_the_whole_text() -> None:
    assert SpeechRequest("One. Two. Three.", "af_sally", start=5, end=9).part == "Two."
    utterance = Utterance(0, "Two.", "tu.", 0, 4, words=(WrittenWord(0, 3, 0, 2),))
    moved = Utterance(0, "Two.", "tu.", 5, 9, words=(WrittenWord(5, 8, 0, 2),))
    assert Plan((utterance,), (Notice("Look.", 1, 2),), 7).moved(5) == Plan((moved,), (Notice("Look.", 6, 7),), 7)
