import dataclasses

import numpy as np
import pytest

from engine.speech import AudioChunk, SpeechRequest, Utterance


def test_data_is_frozen() -> None:
    request = SpeechRequest("Hello.", "af_sally")
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.text = "Bye."  # type: ignore[misc]


def test_a_chunk_knows_how_long_it_is() -> None:
    chunk = AudioChunk(Utterance(0, "Hi.", "hI.", 0, 3), 1, np.zeros(12_000, np.float32), 24_000)
    assert chunk.seconds == 0.5
