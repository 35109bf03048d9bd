import pytest

from app.messages import Remedy
from app.reader.feature import fitting_choice, language_name, message_about_language
from app.speech.voice_choice import Choice
from engine.models.installed_voices import ModelVoices
from engine.speech import VoiceInfo

MODELS = (
    ModelVoices("kokoro", "Kokoro", (VoiceInfo("a", "Ann", "en-US", "female"), VoiceInfo("b", "Ben", "en-GB", "male"))),
    ModelVoices("other", "Other", (VoiceInfo("f", "Fleur", "fr-FR", "female"),)),
)


def test_the_first_voice_of_a_language_fits_and_its_region_counts() -> None:
    assert fitting_choice("en-GB", MODELS) == Choice("b", "kokoro")
    assert fitting_choice("en", MODELS) == Choice("a", "kokoro")
    assert fitting_choice("fr-CA", MODELS) == Choice("f", "other")
    assert fitting_choice("de", MODELS) is None


def test_another_language_is_said_with_a_voice_that_fits() -> None:
    message = message_about_language("Le Livre", "fr", Choice("a", "kokoro"), MODELS)
    assert message.text == "“Le Livre” is in French, but Ann speaks English."
    assert message.remedy is Remedy.FITTING_VOICE


def test_a_language_without_a_voice_is_said() -> None:
    message = message_about_language("Das Buch", "de", Choice("a", "kokoro"), MODELS)
    assert message.text == "“Das Buch” is in German, but Ann speaks English. No installed voice speaks it."
    assert message.remedy is None


@pytest.mark.parametrize("language", ["en", "en-AU", ""])
def test_nothing_is_said_of_the_same_language_or_an_unknown_one(language: str) -> None:
    assert message_about_language("A Book", language, Choice("b", "kokoro"), MODELS) is None


def test_nothing_is_said_before_the_voices_are_known() -> None:
    assert message_about_language("A Book", "fr", Choice(), ()) is None


@pytest.mark.parametrize(
    ("tag", "name"), [("pt-BR", "Portuguese"), ("en_GB", "English"), ("sv", "Swedish"), ("zh", "Chinese")]
)
def test_languages_have_names(tag: str, name: str) -> None:
    assert language_name(tag) == name
