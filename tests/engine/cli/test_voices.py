"""Tests of `engine voices`: listing, saving and removing."""

import argparse
from collections.abc import Iterator

import pytest

from engine.cli.command import Outcome
from engine.cli.voices import add_options, manage_voices, preview_text, voices_in
from engine.errors import InvalidRequest
from engine.models.checkpoints import starter_voices
from engine.models.installed_voices import ModelVoices, installed_voices
from engine.models.voices.blends import SavedVoices
from engine.models.voices.packs import describe, official_voices
from tests.starter_voices import FEMALE, MALE


def options_of(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(arguments)


def outcome(*arguments: str) -> Outcome:
    return manage_voices(options_of(*arguments))


@pytest.fixture
def blend() -> Iterator[str]:
    outcome("save", "Test à deux", f"{MALE}(2)+{FEMALE}(1)")
    yield "Test à deux"
    SavedVoices().remove("Test à deux")


def test_a_saved_blend_is_among_the_voices(blend):
    listed = outcome("--language", "en-US")
    assert {voice["name"]: voice["recipe"] for voice in listed.data}[blend] == f"{MALE}(2)+{FEMALE}(1)"
    assert f"{MALE}(2)+{FEMALE}(1)" in listed.words
    assert "kitchen" in preview_text(options_of("preview", blend))


def test_a_removed_blend_is_not_listed():
    saved = outcome("save", "test-solo", MALE)
    assert (saved.data["name"], saved.data["recipe"]) == ("test-solo", f"{MALE}(1)")
    assert outcome("remove", "test-solo").data == {"name": "test-solo"}
    assert "test-solo" not in outcome().words


@pytest.fixture
def two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """The starter's voices, after those of a better model."""
    voices = tuple(map(describe, ("af_heart", "if_sara")))
    listed = (ModelVoices("better", "A better one", voices), *installed_voices())
    monkeypatch.setattr("engine.cli.voices.installed_voices", lambda: listed)


@pytest.mark.usefixtures("two_models")
def test_voices_of_all_models_are_listed_best_first_with_their_models():
    listed = outcome()
    assert [(voice["name"], voice["model"]) for voice in listed.data][:3] == [
        ("af_heart", "better"),
        ("if_sara", "better"),
        (starter_voices()[0].name, "starter"),
    ]
    assert [line.split()[3] for line in listed.words.splitlines()][:3] == ["better", "better", "starter"]
    assert [voice["name"] for voice in outcome("--language", "it").data] == ["if_sara"]


@pytest.mark.usefixtures("two_models")
def test_a_named_model_lists_its_voices_alone():
    assert {voice["model"] for voice in outcome("--model", "starter").data} == {"starter"}
    random = outcome("--model", "kokoro-82m", "--weights", "random:0")
    assert [voice["name"] for voice in random.data] == ["af_random"]


@pytest.mark.usefixtures("two_models")
def test_no_blend_takes_the_name_of_a_voice_of_any_model():
    with pytest.raises(InvalidRequest, match="if_sara"):
        outcome("save", "sara", MALE)


def test_voices_are_listed_by_language():
    assert [voice.name for voice in voices_in(official_voices(), "it")] == ["if_sara", "im_nicola"]
    assert len(voices_in(official_voices(), None)) == 54
    with pytest.raises(InvalidRequest, match="Choose one of"):
        voices_in(official_voices(), "de")


def test_an_empty_list_reports_missing_voices():
    listed = outcome("--language", "it", "--model", "starter")
    assert listed.data == []
    assert listed.words.startswith("No voices of Italian are installed. Run `models list`")


def test_a_preview_is_a_sentence_of_the_language():
    assert "kitchen" in preview_text(options_of("preview", MALE))
    assert "playa" in preview_text(options_of("preview", MALE, "--language", "es"))
