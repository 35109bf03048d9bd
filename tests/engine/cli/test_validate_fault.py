"""`engine validate --fault` up to the validation itself, which is the matter of the validator's drills."""

import argparse

import pytest

from engine.cli.validate import add_options, outcome_of, request_from
from engine.errors import InvalidRequest
from engine.faults.catalogue import FAULTS, fault_named
from engine.system.paths import sample_text_path
from engine.validator.data.results import Regime


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(arguments)


def test_the_list_names_every_fault_with_its_stage() -> None:
    outcome = outcome_of(parsed("--fault", "list"), lambda: "", lambda _: None)
    lines = outcome.words.splitlines()
    assert [line.split()[:2] for line in lines] == [[fault.name, fault.stage] for fault in FAULTS]
    assert [entry["name"] for entry in outcome.data] == [fault.name for fault in FAULTS]


def test_a_drill_looks_where_the_fault_shows() -> None:
    assert request_from(parsed("--fault", "zeroed-noise")).regimes == (Regime.UPSTREAM, Regime.COMPILED)
    assert Regime.COMPILED_PADDED in request_from(parsed("--fault", "dropped-length")).regimes
    assert request_from(parsed("--fault", "zeroed-noise", "--regimes", "compiled")).regimes == (Regime.COMPILED,)


def test_a_drill_speaks_a_text_that_shows_the_fault_unless_another_is_given() -> None:
    sample = sample_text_path().read_text(encoding="utf-8")
    assert request_from(parsed("--fault", "zeroed-noise")).speech.text == sample
    assert request_from(parsed("--fault", "softmax-multiple")).speech.text == fault_named("softmax-multiple").text
    assert request_from(parsed("--fault", "softmax-multiple", "--text", "No.")).speech.text == "No."


def test_an_unknown_fault_is_refused_before_any_work() -> None:
    with pytest.raises(InvalidRequest, match="no fault “bad-luck”"):
        request_from(parsed("--fault", "bad-luck"))
