import argparse
import json
from pathlib import Path

import pytest

from engine.benchmark import command
from engine.benchmark.command import STANDARD_OUTPUT, add_options, outcome_of
from engine.errors import EngineError, InvalidRequest
from tests.engine.benchmark.example_work import estimate


def options(*arguments):
    parser = argparse.ArgumentParser()
    add_options(parser)
    parser.add_argument("--model", default="starter")
    return parser.parse_args(arguments)


@pytest.fixture
def quick(monkeypatch):
    """An estimate without counting: that is tested where it is done."""
    monkeypatch.setattr(command, "estimate_metal", lambda model, *_: estimate(model))


def test_without_a_target_there_is_nothing_to_do():
    with pytest.raises(InvalidRequest, match="nothing to benchmark"):
        outcome_of(options(), print)
    with pytest.raises(InvalidRequest, match="nothing to benchmark"):
        outcome_of(options("--estimate", "cuda"), print)


def test_a_file_that_cannot_be_written_is_found_before_the_work(tmp_path):
    with pytest.raises(EngineError, match="does not exist"):
        outcome_of(options("--estimate", "metal", "--json", str(tmp_path / "no" / "x.json")), print)


@pytest.mark.usefixtures("quick")
def test_figures_go_into_a_file(tmp_path):
    path = tmp_path / "figures.json"
    outcome = outcome_of(options("--estimate", "metal", "--model", "kokoro-82m", "--json", str(path)), print)
    assert json.loads(path.read_text(encoding="utf-8"))["model"] == "kokoro-82m"
    assert "kokoro-82m" in outcome.words


@pytest.mark.usefixtures("quick")
def test_json_without_a_name_is_standard_output():
    asked = options("--estimate", "metal", "--json")
    assert asked.json == STANDARD_OUTPUT
    assert outcome_of(asked, print).data["model"] == "starter"
    assert not Path("-").exists()
