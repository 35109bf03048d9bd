import dataclasses
import json
from dataclasses import replace

import numpy as np
import pytest

from engine.config import ModelConfig
from engine.errors import DamagedFile, EngineError, UnknownVoice
from engine.speech import AudioChunk, Notice, Plan, SpeechRequest, Utterance, WrittenWord
from engine.system.paths import resources_folder


@pytest.fixture
def full_size() -> ModelConfig:
    return ModelConfig.load(resources_folder() / "kokoro-82m" / "config.json")


def test_rates_follow_from_the_configuration(full_size):
    assert full_size.samples_per_frame == 600
    assert full_size.stft_frames_per_frame == 120
    assert full_size.harmonics_channels == 22
    assert full_size.frames_per_second == 40
    assert full_size.phoneme_limit == 510


def test_widths_the_kokoro_package_hard_codes_are_the_default(full_size):
    assert full_size.istftnet.decoder_dim == 1024
    assert full_size.istftnet.asr_res_dim == 64


def test_a_configuration_survives_its_own_json(full_size):
    assert ModelConfig.from_dict(json.loads(json.dumps(full_size.to_dict()))) == full_size


def test_the_fingerprint_sees_widths_and_not_the_vocabulary(full_size):
    assert replace(full_size, vocab={}).fingerprint() == full_size.fingerprint()
    assert replace(full_size, hidden_dim=256).fingerprint() != full_size.fingerprint()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"plbert": 3}', pytest.param("[" * 100_000, id="deep")])
def test_a_damaged_description_says_so(tmp_path, content):
    path = tmp_path / "config.json"
    path.write_text(content)
    with pytest.raises(DamagedFile, match="be read"):
        ModelConfig.load(path)


def test_data_is_frozen():
    request = SpeechRequest("Hello.", "af_sally")
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.text = "Bye."


def test_a_chunk_knows_how_long_it_is():
    chunk = AudioChunk(Utterance(0, "Hi.", "hI.", 0, 3), 1, np.zeros(12_000, np.float32), 24_000)
    assert chunk.seconds == 0.5


def test_an_error_message_states_the_problem_and_the_remedy():
    assert str(EngineError("The disk is full.", "Free up some space.")) == "The disk is full. Free up some space."
    assert str(EngineError("Stopped.")) == "Stopped."


def test_an_unknown_voice_carries_its_fields():
    error = UnknownVoice("hart", ("af_heart",), "af_heart")
    assert (error.name, error.known, error.nearest) == ("hart", ("af_heart",), "af_heart")


def test_a_part_and_its_plan_have_their_places_in_the_whole_text():
    assert SpeechRequest("One. Two. Three.", "af_sally", start=5, end=9).part == "Two."
    utterance = Utterance(0, "Two.", "tu.", 0, 4, words=(WrittenWord(0, 3, 0, 2),))
    moved = Utterance(0, "Two.", "tu.", 5, 9, words=(WrittenWord(5, 8, 0, 2),))
    assert Plan((utterance,), (Notice("Look.", 1, 2),), 7).moved(5) == Plan((moved,), (Notice("Look.", 6, 7),), 7)
