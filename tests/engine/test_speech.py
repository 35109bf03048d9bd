import dataclasses

import numpy as np
import pytest

from engine.errors import EngineError, UnknownVoice
from engine.speech import AudioChunk, SpeechRequest, Utterance


def test_data_is_frozen() -> None:
    request = SpeechRequest("Hello.", "af_sally")
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.text = "Bye."  # type: ignore[misc]


def test_a_chunk_knows_how_long_it_is() -> None:
    chunk = AudioChunk(Utterance(0, "Hi.", "hI.", 0, 3), 1, np.zeros(12_000, np.float32), 24_000)
    assert chunk.seconds == 0.5


def test_an_error_reads_as_what_is_wrong_and_what_to_do() -> None:
    assert str(EngineError("The disk is full.", "Free some room.")) == "The disk is full. Free some room."
    assert str(EngineError("Stopped.")) == "Stopped."


def test_an_unknown_voice_carries_its_fields() -> None:
    error = UnknownVoice("hart", ("af_heart",), "af_heart")
    assert (error.name, error.known, error.nearest) == ("hart", ("af_heart",), "af_heart")
