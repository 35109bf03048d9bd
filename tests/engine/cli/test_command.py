"""Which model is to speak, by what was typed."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.cli.command import Outcome, model_with, save_json
from engine.cli.parser import build_parser
from engine.errors import InvalidRequest, MissingModel, UnknownVoice
from engine.synthesizer import Synthesizer
from tests.starter_voices import FEMALE, MALE


def short(name: str) -> str:
    """The name without language and gender."""
    return name.partition("_")[2]


def chosen(voice: str | None, *words: str) -> str:
    return model_with(build_parser().parse_args(["speak", "Hi", *words]), voice)


@pytest.mark.usefixtures("compact_model_installed")
@pytest.mark.parametrize(
    ("voice", "model"),
    [
        (None, "kokoro-82m-8bit"),
        ("heart", "kokoro-82m-8bit"),
        ("af_heart(2)+bm_george", "kokoro-82m-8bit"),
        (MALE, "starter"),
        (f"{short(MALE)}+{short(FEMALE)}", "starter"),
    ],
)
def test_the_voice_brings_its_model(voice: str | None, model: str) -> None:
    assert chosen(voice) == model


@pytest.mark.usefixtures("compact_model_installed")
def test_a_named_model_is_kept_or_refused() -> None:
    assert chosen(None, "--model", "starter") == chosen(short(MALE), "--model", "starter") == "starter"
    assert chosen("af_random", "--model", "kokoro-82m", "--weights", "random:0") == "kokoro-82m"
    with pytest.raises(InvalidRequest, match="model starter has no voice “adam”, which kokoro-82m-8bit has"):
        chosen("adam", "--model", "starter")
    with pytest.raises(InvalidRequest, match=f"model kokoro-82m-8bit has no voice “{MALE}”, which starter has"):
        chosen(MALE, "--model", "kokoro-82m-8bit")


@pytest.mark.usefixtures("compact_model_installed")
def test_a_voice_that_none_here_has_names_a_model_or_all_voices() -> None:
    with pytest.raises(MissingModel, match="models fetch kokoro-82m”"):
        chosen("ef_dora")
    with pytest.raises(UnknownVoice, match=rf"Did you mean “af_heart”.*{MALE}"):
        chosen("af_haert")


@pytest.mark.parametrize("words", [["--voice", short(MALE)], ["--voice", f"{MALE}(2)+{FEMALE}"]])
@pytest.mark.usefixtures("compact_model_installed")
def test_the_model_of_the_voice_speaks(
    starter: Synthesizer, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["speak", "Hello.", *words, "--out", str(tmp_path / "a.wav"), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["model"], figures["voice"]) == ("starter", words[1])
    assert main(["voices", "preview", words[1], "--out", str(tmp_path / "b.wav"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "starter"
    arguments = ["validate", "--text", "Hello.", *words, "--regimes", "dynamic,compiled", "--json"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["request"]["model"] == "starter"


def test_half_a_character_is_json_in_a_file(tmp_path: Path) -> None:
    save_json(Namespace(json=tmp_path / "a.json"), Outcome({"text": "Say \udcff."}, ""))
    assert json.loads((tmp_path / "a.json").read_bytes()) == {"text": "Say \udcff."}
