"""Tests of a validation as a command."""

import argparse
import shlex
from contextlib import closing
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.cli.validate import add_options, outcome_of, request_from
from engine.models.checkpoints import STARTER
from engine.runtime.preparation.devices import DEVICES
from engine.runtime.preparation.lstm_methods import LSTM_METHODS
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED, CurveEdit, PhonemeEdit, SpeechRequest, UtteranceEdit
from engine.stages import STAGE_NAMES
from engine.validator.cases.as_command import as_command
from engine.validator.data.results import Regime, ValidationRequest
from engine.validator.data.wire import Wire
from engine.validator.faults.catalog import FAULTS
from engine.validator.runners.regimes import MAX_PADDING
from engine.validator.runs.validation import Validator


def edits() -> st.SearchStrategy[UtteranceEdit]:
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    curves = st.builds(CurveEdit, numbers, numbers, st.lists(numbers, max_size=2).map(tuple))
    changes = st.builds(PhonemeEdit, st.integers(0, 9), st.none() | st.integers(1, 9), numbers, curves, curves)
    return st.builds(
        UtteranceEdit,
        st.integers(0, 99),
        st.text(max_size=5),
        changes=st.lists(changes, max_size=2).map(tuple),
        gain_db=numbers,
        pause_seconds=st.none() | numbers,
    )


SPEECH = st.builds(
    SpeechRequest,
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    voice=st.sampled_from(["am_michael", "am_michael(2)+af_wren(1)"]),
    speed=st.floats(SLOWEST_SPEED, FASTEST_SPEED),
    seed=st.integers(0, 2**31),
    language=st.sampled_from([None, "fr-FR"]),
    edits=st.lists(edits(), max_size=2).map(tuple),
)
CROSS = st.lists(st.tuples(st.sampled_from(STAGE_NAMES), st.sampled_from(Regime)), max_size=2).map(tuple)
REQUESTS = st.builds(
    ValidationRequest,
    speech=SPEECH,
    model=st.just(STARTER),
    weights=st.sampled_from([None, "random:3"]),
    regimes=st.lists(st.sampled_from(Regime), min_size=1, unique=True).map(tuple),
    reference=st.sampled_from(Regime),
    padding=st.floats(0, MAX_PADDING),
    device=st.sampled_from(DEVICES),
    lstm_method=st.sampled_from(LSTM_METHODS),
    probes=st.booleans(),
    cross=CROSS,
    fault=st.sampled_from(["", *(fault.name for fault in FAULTS)]),
)


def asked(command: str) -> ValidationRequest:
    program, name, *arguments = shlex.split(command)
    assert (program, name) == ("kokoro-desk", "validate")
    parser = argparse.ArgumentParser()
    add_options(parser)
    return request_from(parser.parse_args(arguments))


@given(REQUESTS)
def test_the_command_asks_for_the_same(request: ValidationRequest) -> None:
    assert asked(as_command(request)) == request


def test_a_crossed_regime_alone_compares_nothing_else() -> None:
    request = ValidationRequest(SpeechRequest("Hi.", "am_michael"), regimes=(), cross=(("bert", Regime.DYNAMIC),))
    assert asked(as_command(request)) == replace(request, regimes=(Regime.DYNAMIC,))


def test_the_command_gives_the_same_rows() -> None:
    speech = SpeechRequest("- “Hi there”, it's $5.", "am_michael", 1.25, 3)
    request = ValidationRequest(speech, regimes=(Regime.UPSTREAM, Regime.COMPILED_PADDED), padding=0.25)
    with closing(Validator()) as validator:
        rows = validator.validate(request).rows
    parser = argparse.ArgumentParser()
    add_options(parser)
    options = parser.parse_args(shlex.split(as_command(request))[2:])
    told = outcome_of(options, lambda: "", lambda event: None).data["rows"]
    assert [without_times(row) for row in told] == [without_times(Wire().row_to_dict(row)) for row in rows]


def without_times(row: dict) -> dict:
    return {name: value for name, value in row.items() if not name.endswith("seconds")}
