"""What the options of `engine validate` ask for."""

import argparse
from pathlib import Path

import pytest

from engine.cli.validate_options import ENGLISH_SENTENCES, STANDARD_OUTPUT, add_options, request_from
from engine.errors import InvalidRequest
from engine.validator.results import DEFAULT_REGIMES, Regime, ValidationRequest


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="starter")
    parser.add_argument("--weights")
    add_options(parser)
    return parser.parse_args(arguments)


def asked(*arguments: str) -> ValidationRequest:
    return request_from(parsed(*arguments))


def test_without_options_the_sample_is_spoken_in_the_first_voice() -> None:
    request = asked()
    assert request.speech.text.strip()
    assert request.speech.voice == "am_rowan"
    assert request.speech.language is None
    assert request.speech.pause_scale == 1.0
    assert request.regimes == DEFAULT_REGIMES


def test_random_weights_bring_their_own_voice() -> None:
    assert asked("--model", "kokoro-82m", "--weights", "random:3").speech.voice == "af_random"


def test_regimes_are_named_as_in_the_report() -> None:
    assert asked("--regimes", "dynamic,compiled-padded").regimes == (Regime.DYNAMIC, Regime.COMPILED_PADDED)


def test_stages_can_be_crossed() -> None:
    request = asked("--cross", "decoder=dynamic,f0n=static-packed")
    assert request.cross == (("decoder", Regime.DYNAMIC), ("f0n", Regime.STATIC_PACKED))


@pytest.mark.parametrize(
    "arguments",
    [("--regimes", "dynamo"), ("--reference", "truth"), ("--cross", "decoder"), ("--cross", "x=dynamic")],
)
def test_a_name_that_is_none_is_refused_with_the_known_ones(arguments: tuple[str, str]) -> None:
    with pytest.raises(InvalidRequest) as caught:
        asked(*arguments)
    assert "dynamic" in caught.value.hint


def test_json_goes_to_standard_output_unless_a_file_is_named() -> None:
    assert parsed("--json").json == STANDARD_OUTPUT
    assert parsed("--json", "x.json").json.name == "x.json"
    assert parsed().json is None


def test_text_is_compared_only_when_asked_for_and_may_be_ones_own() -> None:
    assert parsed().text_parity is None
    assert parsed("--text-parity").text_parity == ENGLISH_SENTENCES
    assert parsed("--text-parity", "a.txt").text_parity == Path("a.txt")


def test_the_language_may_be_another_than_the_voices() -> None:
    assert asked("--language", "en-GB").speech.language == "en-GB"
