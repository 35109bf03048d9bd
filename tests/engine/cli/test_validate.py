"""What the options of `engine validate` ask for, and what it leaves behind: figures, words, files."""

import argparse
import json
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.cli.command import STANDARD_OUTPUT, Outcome
from engine.cli.progress import Steps
from engine.cli.validate import ENGLISH_SENTENCES, add_options, outcome_of, request_from, show
from engine.errors import EngineError, InvalidRequest
from engine.model_store.checkpoints import starter_voices
from engine.speech import PreparationEvent
from engine.validator.data.results import DEFAULT_REGIMES, AlignmentEvent, Regime, ValidationRequest
from engine.validator.data.wire import Wire
from engine.validator.experiments.sweep import sweep_padding


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(arguments)


def outcome(*arguments: str) -> Outcome:
    return outcome_of(parsed(*arguments), lambda: "all is well", lambda event: None)


def asked(*arguments: str) -> ValidationRequest:
    return request_from(parsed(*arguments))


def test_figures_and_words_tell_the_same() -> None:
    made = outcome("--text", "Hello there.", "--regimes", "dynamic,static-no-pack,compiled", "--padding", "4")
    assert made.passed
    assert made.data["passed"]
    rows = made.data["rows"]
    assert {row["regime"] for row in rows} == {"static-no-pack", "compiled"}
    assert {"regime", "reference", "reading", "stage", "pearson", "max_abs", "verdict"} <= rows[0].keys()
    assert "packing matters" in made.words
    assert Wire().report_from_dict({name: made.data[name] for name in made.data if name not in ("lstms", "sweep")})


@pytest.mark.parametrize(
    "late", [("--kernels", "foo"), ("--case-stage", "foo"), ("--reduce-seconds", "nan"), ("--wav-dir", "/dev/null/a")]
)
def test_what_comes_last_is_checked_first(late: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.cli.validate.Validator", None)
    with pytest.raises(EngineError):
        outcome("--text", "Hello there.", *late)


def test_all_files_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.cli.validate.sweep_padding", partial(sweep_padding, paddings=(0.0, 1.0)))
    files = {kind: tmp_path / f"report.{kind}" for kind in ("json", "html", "npz", "zip")}
    made = outcome(
        *("--text", "Hi.", "--regimes", "compiled", "--lstm", "--sweep", "padding"),
        *("--json", str(files["json"]), "--html", str(files["html"]), "--npz", str(files["npz"])),
        *("--wav-dir", str(tmp_path / "wavs"), "--bundle", str(files["zip"])),
    )
    written = json.loads(files["json"].read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(made.data))
    assert {comparison["stage"] for comparison in written["lstms"]} == {"duration", "text_encoder"}
    assert {point["regime"] for point in written["sweep"]} >= {"static-no-pack", "compiled-padded"}
    assert files["html"].read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert "u0000/compiled/own-fed/audio" in np.load(files["npz"])
    assert all(soundfile.info(path).subtype == "FLOAT" for path in (tmp_path / "wavs").iterdir())
    with zipfile.ZipFile(files["zip"]) as bundle:
        assert b"all is well" in b"".join(bundle.read(name) for name in bundle.namelist() if "doctor" in name)


def test_each_utterance_is_shown_as_it_begins() -> None:
    lines: list[str] = []
    steps = Steps(lines.append, clock=iter(range(100)).__next__)
    show(steps, PreparationEvent("Loading PyTorch", 0, 1))
    for utterance in range(2):
        show(steps, AlignmentEvent(utterance, (1, 2)))
    assert lines == ["Loading PyTorch (0 of 1)", "Validating utterance 1", "Validating utterance 2"]


def test_random_utterances_report_their_worst() -> None:
    made = outcome("--fuzz", "2")
    assert made.passed
    assert made.words.startswith("2 of 2 utterances within tolerance")
    assert {row["regime"] for row in made.data["worst"]} == {Regime.COMPILED}


def test_a_file_that_cannot_be_written_is_told_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        outcome("--text", "Hello.", "--html", str(tmp_path / "no" / "such" / "report.html"))
    assert "no" in str(caught.value)


def test_phonemes_are_compared_with_kokoros(tmp_path: Path) -> None:
    lines, figures = tmp_path / "lines.txt", tmp_path / "figures.json"
    lines.write_text("Hello there.\nProf. Lee.\n")
    made = outcome("--text-parity", str(lines), "--language", "en-GB", "--json", str(figures))
    assert made.passed
    assert made.words.startswith("1 of 2 sentences")
    written = json.loads(figures.read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(made.data))
    assert written["differences"][0]["upstream"] == "pɹˈɒf lˈiː."


def test_without_options_the_sample_is_spoken_in_the_first_voice() -> None:
    request = asked()
    assert request.speech.text.strip()
    assert request.speech.voice == starter_voices()[0].name
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


def test_students_are_one_more_regime() -> None:
    assert asked("--prosody", "transformer").regimes == (*DEFAULT_REGIMES, Regime.DISTILLED)
    assert asked("--prosody", "transformer", "--fuzz", "3").regimes == (Regime.DISTILLED,)
    assert asked("--prosody", "transformer", "--regimes", "compiled").regimes == (Regime.COMPILED,)
