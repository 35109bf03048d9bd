from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.speech.voice_choice import Choice, insisted, listed, prosody_of, voice_info
from engine.models.installed_voices import ModelVoices
from engine.speech import Prosody, VoiceInfo
from tests.app.fakes import TWO_MODELS

NAMES = st.sampled_from(["af_heart", "am_adam", "bf_emma"])
MODELS = st.sampled_from(["kokoro-82m", "kokoro-82m-8bit", "starter"])
NOTHING = st.none()


def voices_of(names: list[str]) -> tuple[VoiceInfo, ...]:
    return tuple(VoiceInfo(name, name, "en-US", "") for name in names)


LISTS = st.lists(
    st.builds(lambda model, names: ModelVoices(model, model, voices_of(names)), MODELS, st.lists(NAMES, unique=True)),
    unique_by=lambda each: each.model,
)


@given(LISTS, MODELS, st.sampled_from(Prosody), st.sets(MODELS))
def test_students_speak_only_if_wished_for_and_there(
    models: list[ModelVoices], model: str, wish: Prosody, taught: set[str]
) -> None:
    there = [replace(each, students_obstacle="" if each.model in taught else "none") for each in models]
    has_students = model in taught and model in {each.model for each in models}
    assert prosody_of(model, there, wish) is (wish if has_students else Prosody.LSTM)


@given(st.builds(Choice, NAMES | NOTHING, MODELS | NOTHING), LISTS, MODELS)
def test_a_listed_choice_is_listed_and_nearest_to_what_is_wanted(
    choice: Choice, models: list[ModelVoices], usual: str
) -> None:
    found = listed(choice, models, usual)
    all_found = [Choice(voice.name, each.model) for each in models for voice in each.voices]
    if not all_found:
        assert found == Choice()
        return
    assert found in all_found
    if choice in all_found:
        assert found == choice
    elif choice.voice in [each.voice for each in all_found]:
        assert found.voice == choice.voice
    elif choice.model in [each.model for each in all_found]:
        assert found.model == choice.model


def test_a_voice_brings_the_model_it_belongs_to() -> None:
    assert listed(Choice("bm_george", "starter"), TWO_MODELS, "starter") == Choice("bm_george", "kokoro-82m")
    assert listed(Choice("am_adam", "starter"), TWO_MODELS, "starter") == Choice("am_adam", "starter")
    assert listed(Choice("am_adam"), TWO_MODELS, "starter") == Choice("am_adam", "starter")
    assert listed(Choice("nobody"), TWO_MODELS, "starter") == Choice("af_sally", "starter")


def test_what_is_insisted_on_is_never_replaced() -> None:
    usual = Choice("af_sally", "starter")
    assert insisted(Choice("heart"), TWO_MODELS, usual) == Choice("heart", "kokoro-82m")
    assert insisted(Choice("adam"), TWO_MODELS, usual) == Choice("adam", "starter")
    assert insisted(Choice("af_heart+bm_george"), TWO_MODELS, usual) == Choice("af_heart+bm_george", "kokoro-82m")
    assert insisted(Choice("nobody"), TWO_MODELS, usual) == Choice("nobody", "starter")
    assert insisted(Choice("af_heart", "starter"), TWO_MODELS, usual) == Choice("af_heart", "starter")
    assert insisted(Choice(model="another"), TWO_MODELS, usual) == Choice(None, "another")


def test_a_model_that_is_insisted_on_keeps_the_voice_if_it_can() -> None:
    assert insisted(Choice(model="kokoro-82m"), TWO_MODELS, Choice("am_adam", "starter")).voice == "am_adam"
    assert insisted(Choice(model="kokoro-82m"), TWO_MODELS, Choice("af_sally", "starter")).voice == "af_heart"


def test_the_entry_of_a_choice_is_that_of_its_model() -> None:
    assert voice_info(Choice("af_sally", "starter"), TWO_MODELS) == TWO_MODELS[1].voices[0]
    assert voice_info(Choice("af_sally", "kokoro-82m"), TWO_MODELS) is None
