"""The bundled voices and their teachers."""

import pytest

from engine.errors import EngineError
from engine.model_store.checkpoints import starter_voices
from engine.starter.voices import STARTER_VOICES, StarterVoice, open_teacher, teacher_installed


def test_the_shipped_voices_are_the_declared_ones() -> None:
    shipped = {(voice.name, voice.language, voice.gender) for voice in starter_voices()}
    assert shipped == {(voice.name, voice.language, voice.gender) for voice in STARTER_VOICES}


def test_names_tell_the_gender() -> None:
    assert all(voice.name[1] == voice.gender[0] for voice in STARTER_VOICES)


@pytest.mark.parametrize("engine", ["flite", "festival"])
def test_a_missing_teacher_is_named_with_what_to_do(engine: str) -> None:
    voice = StarterVoice("am_nobody", "en-US", "male", engine, "cmu_us_nobody", (60, 200), 8_000)
    assert not teacher_installed(voice)
    with pytest.raises(EngineError, match="install"):
        open_teacher(voice)
