"""Tests of `compile` and `distill`, on small models."""

import argparse
import json
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.cli import compile as compile_command
from engine.cli.compile import add_options, request_from
from engine.cli.parser import build_parser
from engine.compiler.artifacts.manifest import Variant
from engine.errors import CompileError, InvalidRequest, MissingModel
from engine.models.checkpoints import open_checkpoint, starter_voices, students_of
from engine.models.store import ModelStore
from engine.stages import DEVICE_STAGES
from engine.training.distillation import data, evaluation, objectives
from tests.engine.students import students_installed


def request(*arguments, model="starter", weights=None):
    parser = argparse.ArgumentParser()
    add_options(parser)
    return request_from(parser.parse_args([*arguments], argparse.Namespace(model=model, weights=weights)))


def test_everything_is_built_with_kernels_and_packing_unless_said_otherwise():
    default = request()
    assert default.stages == DEVICE_STAGES
    assert default.variant == Variant("cpu")
    assert default.folder.name == f"{default.config.fingerprint()}-cpu"
    assert default.checkpoint is None


def test_options_make_the_variant_and_its_folder():
    words = ["--target", "metal-macos", "--lstm-method", "mps", "--lstm-semantics", "no-pack", "--probes"]
    asked = request(*words, "--stage", "f0n")
    assert asked.variant == Variant("metal-macos", "mps", "no-pack", probed=True)
    assert [stage.name for stage in asked.stages] == ["f0n"]
    assert asked.folder.name.endswith("-metal-macos-mps-no-pack-probed")
    assert request("--output-dir", "there").folder == Path("there")


def test_half_precision_is_a_separate_variant():
    asked = request("--target", "metal-macos", "--precision", "float16")
    assert asked.variant == Variant("metal-macos", precision="float16")
    assert asked.folder.name.endswith("-metal-macos-float16")


def test_kernels_are_compiled_ahead_for_macs_only():
    assert request("--target", "metal-macos", "--compile-kernels").variant == Variant("metal-macos")
    with pytest.raises(InvalidRequest, match="Use --target metal-macos"):
        request("--compile-kernels")


def test_cpus_of_a_different_system_are_a_separate_variant():
    asked = request("--triple", "aarch64-linux-gnu")
    assert asked.variant == Variant("cpu", family="aarch64-linux-gnu")
    assert asked.folder.name.endswith("-cpu-aarch64-linux-gnu")
    with pytest.raises(CompileError, match="no triple"):
        request("--triple", "armv7")


def test_modules_for_a_family_validate_only_on_cpus_of_that_family(monkeypatch):
    words = ["--triple", "aarch64-linux-gnu", "--validate"]
    monkeypatch.setattr(compile_command, "runs_here", lambda name: name == "x86_64-linux-gnu")
    with pytest.raises(InvalidRequest, match="Omit --validate"):
        request(*words)
    monkeypatch.setattr(compile_command, "runs_here", lambda name: name == "aarch64-linux-gnu")
    assert request(*words).checkpoint is not None


@pytest.mark.parametrize(
    ("words", "speaks"),
    [
        ([], True),
        (["--stage", "decoder"], True),
        (["--tune"], True),
        (["--probes"], False),
        (["--output-dir", "there"], False),
        (["--ship"], False),
        (["--triple", "x86_64-linux-gnu"], False),
        (["--target", "metal-macos"], False),
    ],
)
def test_modules_for_this_very_machine_speak_from_now_on(words, speaks):
    assert request(*words).speaks_here is speaks


def test_time_for_tuning_is_given_in_minutes():
    assert request().tuning_seconds == 0
    assert request("--tune", "0.5").tuning_seconds == 30
    assert request("--tune").tuning_seconds == 240


def test_validation_opens_the_model_before_any_work():
    assert request("--validate").checkpoint.name == "starter"
    with pytest.raises(MissingModel, match="installed"):
        request("--validate", model="kokoro-82m")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--stage", "mouth"], "Stages: all, bert"),
        (["--lstm-method", "cudnn"], "Methods: mps, tir, torch"),
        (["--lstm-semantics", "sloppy"], "Semantics: packed, no-pack"),
        (["--lstm-method", "mps"], "mps isn’t available on cpu"),
        (["--triple", "aarch64-linux-gnu", "--target", "metal-macos"], "--triple is for the target cpu only"),
        (["--tune", "-1"], "number of minutes"),
        (["--tune", "nan"], "number of minutes"),
        (["--tune", "1", "--triple", "aarch64-linux-gnu"], "Omit --tune"),
        (["--precision", "float8"], "Precisions: float32, float16"),
        (["--precision", "float16"], "float16 is for Metal"),
    ],
)
def test_unavailable_choices_are_refused_with_the_reason(words, message):
    with pytest.raises(InvalidRequest, match=message):
        request(*words)


def test_an_unknown_target_is_named():
    with pytest.raises(CompileError, match="Known targets"):
        request("--target", "vulkan")


def test_modules_for_macs_cannot_be_validated_elsewhere(monkeypatch):
    words = ["--target", "metal-macos", "--validate"]
    monkeypatch.setattr("sys.platform", "linux")
    with pytest.raises(InvalidRequest, match="Omit --validate"):
        request(*words)
    monkeypatch.setattr("sys.platform", "darwin")
    assert request(*words).checkpoint is not None


def test_stages_with_students_are_a_separate_variant():
    with students_installed(places="predictor.*") as students:
        asked = request("--prosody", "transformer", "--target", "metal-macos")
        assert asked.variant == Variant("metal-macos", students=students.fingerprint, stages=("duration", "f0n"))
        assert [stage.name for stage in asked.stages] == ["duration", "f0n"]
        assert asked.folder.name.endswith(f"-metal-macos-{students.fingerprint}")
        assert not request("--prosody", "transformer").speaks_here
        assert request("--prosody", "transformer", "--validate").checkpoint.students == students
        for words in (["--stage", "f0n"], ["--tune"]):
            with pytest.raises(InvalidRequest, match="individually"):
                request("--prosody", "transformer", *words)


def test_a_model_without_students_is_named():
    with pytest.raises(MissingModel, match="No Transformer prosody is installed for starter"):
        request("--prosody", "transformer")


def test_a_prosody_that_there_is_not_is_named(capsys):
    with pytest.raises(SystemExit):
        request("--prosody", "guess")
    assert "Unknown prosody “guess”. Use one of: lstm, transformer." in capsys.readouterr().err


def test_all_actions(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(data, "SHARD_EXAMPLES", 62)
    monkeypatch.setattr(objectives, "VALIDATION_BATCHES", 1)
    monkeypatch.setattr(evaluation, "EVALUATION_VOICES", (starter_voices()[0].name,))
    folder = ["--model", "starter", "--work-dir", str(tmp_path)]
    assert main(["distill", "data", *folder, "--shards", "1"]) == 0
    assert main(["distill", "train", *folder, "--minutes", "0.0001"]) == 0
    installed = ModelStore().students_file("starter")
    try:
        assert main(["distill", "export", *folder, "--corrections", "3", "--install"]) == 0
        assert (tmp_path / "students.safetensors").exists()
        assert students_of("starter").teacher == open_checkpoint().identity
    finally:
        installed.unlink(missing_ok=True)
    capsys.readouterr()
    assert main(["distill", "evaluate", *folder, "--sentences", "1", "--json"]) == 0
    (scores,) = json.loads(capsys.readouterr().out).values()
    assert scores["sentences"] == 1
    assert 0 < scores["equal_durations_percent"] <= 100


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["data", "--model", "starter", "--shards", "0"], "--shards 0 is too small"),
        (["train", "--model", "starter", "--minutes", "-1"], "--minutes -1 is too small"),
        (["export", "--model", "starter", "--frame-corrections", "0"], "--frame-corrections 0 is too small"),
        (["train", "--model", "starter"], "“kokoro-desk distill data”"),
        (["evaluate", "--model", "starter"], "“kokoro-desk distill export”"),
        (["export", "--model", "starter"], "“kokoro-desk distill train”"),
        (["train", "--model", "starter", "--weights", "nonsense"], "Unknown weights “nonsense”"),
    ],
)
def test_bad_input_gets_one_sentence(tmp_path, capsys, arguments, sentence):
    assert main(["distill", *arguments, "--work-dir", str(tmp_path)]) != 0
    assert sentence in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "for starter."),
        (["--tokens", "0"], "0 tokens. Use whole numbers from 1 to 512."),
        (["--rounds", "0"], "--rounds 0"),
        (["--threads", "99"], "99"),
    ],
)
def test_an_impossible_comparison_fails_with_one_sentence(capsys, arguments, sentence):
    assert main(["distill", "compare", "--model", "starter", *arguments]) != 0
    assert sentence in capsys.readouterr().err


def test_is_a_command_of_the_parser():
    options = build_parser().parse_args(["distill", "train", "--work-dir", "w"])
    assert (options.command, options.action) == ("distill", "train")
