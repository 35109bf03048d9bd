"""`engine distill` from data to scores, on the bundled model."""

import json

import pytest

from engine.__main__ import main
from engine.cli.parser import build_parser
from engine.models.checkpoints import open_checkpoint, starter_voices, students_of
from engine.models.store import ModelStore
from engine.training.distillation import data, evaluation, lessons


def test_all_actions(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(data, "SHARD_EXAMPLES", 62)
    monkeypatch.setattr(lessons, "VALIDATION_BATCHES", 1)
    monkeypatch.setattr(evaluation, "EVALUATION_VOICES", (starter_voices()[0].name,))
    folder = ["--model", "starter", "--work-dir", str(tmp_path)]
    assert main(["distill", "data", *folder, "--shards", "1"]) == 0
    assert main(["distill", "train", *folder, "--minutes", "0.0001"]) == 0
    assert main(["distill", "export", *folder, "--corrections", "3"]) == 0
    assert (tmp_path / "students.safetensors").exists()
    installed = ModelStore().students_file("starter")
    try:
        assert main(["distill", "export", *folder, "--install"]) == 0
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
        (["train", "--model", "starter"], "Run “python -m engine distill data” first"),
        (["evaluate", "--model", "starter"], "Write it with “python -m engine distill export” first"),
        (["export", "--model", "starter"], "No student has begun"),
        (["train", "--model", "starter", "--weights", "nonsense"], "does not name weights"),
    ],
)
def test_bad_input_gets_one_sentence(tmp_path, capsys, arguments, sentence):
    assert main(["distill", *arguments, "--work-dir", str(tmp_path)]) != 0
    assert sentence in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "No Transformer for the prosody of the model starter is installed."),
        (["--tokens", "0"], "This model does not take 0 tokens. Give whole numbers from 1 to 512."),
        (["--rounds", "0"], "--rounds 0 is too small. Give a whole number above zero."),
        (["--threads", "99"], "99"),
    ],
)
def test_what_cannot_be_compared_gets_one_sentence(capsys, arguments, sentence):
    assert main(["distill", "compare", "--model", "starter", *arguments]) != 0
    assert sentence in capsys.readouterr().err


def test_is_a_command_of_the_parser():
    options = build_parser().parse_args(["distill", "train", "--work-dir", "w"])
    assert (options.command, options.action) == ("distill", "train")
