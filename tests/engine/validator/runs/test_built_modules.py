"""Freshly built modules against PyTorch: right ones pass, and wrong outputs are named."""

import io
import json
from contextlib import redirect_stdout

import pytest

from engine.__main__ import main
from engine.compiler.artifacts.manifest import CPU, Variant
from engine.models.checkpoints import open_checkpoint
from engine.runtime.preparation.modules import ensure_modules
from engine.runtime.runners import tvm_runner
from engine.validator.runs.built_modules import compare_built, rows_to_text, verdict_error


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("built")


@pytest.fixture(scope="module")
def printed(folder):
    """The data that the command prints when it has built a stage into the folder."""
    arguments = ["compile", "--stage", "source", "--lstm-method", "torch", "--output-dir", str(folder)]
    with redirect_stdout(io.StringIO()) as output:
        assert main([*arguments, "--validate", "--json"]) == 0
    return json.loads(output.getvalue())


def test_built_stages_are_compared_and_the_command_tells(printed):
    assert [artifact["stage"] for artifact in printed["artifacts"]] == ["source"]
    (row,) = printed["rows"]
    assert (row["stage"], row["reading"], row["verdict"]) == ("source", "reference-fed", "pass")
    assert row["pearson"] > 0.99999


@pytest.mark.usefixtures("printed")
def test_a_module_that_computes_something_else_is_named(folder, monkeypatch):
    run = tvm_runner.CompiledRunner.run_stage

    def wrong(self, stage, inputs):
        return {name: 2 * array for name, array in run(self, stage, inputs).items()}

    monkeypatch.setattr(tvm_runner.CompiledRunner, "run_stage", wrong)
    rows = compare_built(open_checkpoint(), folder, ["source"], CPU, lambda _: None)
    assert "source’s harmonics" in str(verdict_error(rows))
    first, *_, last = rows_to_text(rows).split()
    assert (first, last) == ("source", "fail")


def test_float16_modules_are_held_to_float16_tolerances():
    checkpoint = open_checkpoint()
    folder = ensure_modules(checkpoint.name, checkpoint.config, CPU, lambda _: None)
    halves = Variant(CPU.target, precision="float16")
    rows = compare_built(checkpoint, folder, ["source", "decoder"], halves, lambda _: None)
    assert {(row.stage, row.tolerance) for row in rows} == {("source", 0.99999), ("decoder", 0.9999)}
