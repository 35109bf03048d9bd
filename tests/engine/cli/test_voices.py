"""`engine voices`: what is listed, saved and removed."""

import argparse
from collections.abc import Iterator

import pytest

from engine.cli.command import Outcome
from engine.cli.voices import add_options, preview_text, run, voices_in
from engine.errors import InvalidRequest
from engine.voices.packs import official_voices
from engine.voices.saved import SavedVoices


def options_of(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(arguments)


def outcome(*arguments: str) -> Outcome:
    return run(options_of(*arguments))


@pytest.fixture
def blend() -> Iterator[str]:
    outcome("save", "test-duet", "rowan(2)+sally(1)")
    yield "test-duet"
    SavedVoices().remove("test-duet")


def test_a_saved_blend_is_among_the_voices(blend: str) -> None:
    listed = outcome("--language", "en-US")
    assert {voice["name"]: voice["recipe"] for voice in listed.data}[blend] == "am_rowan(2)+af_sally(1)"
    assert "am_rowan(2)+af_sally(1)" in listed.words


def test_a_removed_blend_is_gone() -> None:
    saved = outcome("save", "test-solo", "am_rowan")
    assert saved.words == "test-solo is am_rowan(1) and speaks American English."
    assert outcome("remove", "test-solo").data == {"name": "test-solo"}
    assert "test-solo" not in outcome().words


def test_voices_are_listed_by_language() -> None:
    assert [voice.name for voice in voices_in(official_voices(), "it")] == ["if_sara", "im_nicola"]
    assert len(voices_in(official_voices(), None)) == 54
    with pytest.raises(InvalidRequest, match="Choose one of"):
        voices_in(official_voices(), "de")


def test_a_preview_is_a_sentence_of_the_language() -> None:
    assert "kitchen" in preview_text(options_of("preview", "am_rowan"))
    assert "playa" in preview_text(options_of("preview", "am_rowan", "--language", "es"))
