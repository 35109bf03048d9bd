"""Everything sent to a process or a file arrives unchanged."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RecoveryAction
from engine.speech import Notice, Plan, PlanEvent, PreparationEvent, SpeechRequest, Utterance
from engine.system.remote import decoded, encoded
from engine.validator.data.results import (
    AlignmentEvent,
    AudioMetrics,
    DurationMetrics,
    FailedEvent,
    Finding,
    FinishedEvent,
    InputSource,
    KernelRequest,
    Metrics,
    Profile,
    Regime,
    Replacement,
    Report,
    Row,
    RowEvent,
    Substitute,
    ValidationEvent,
    ValidationRequest,
    Verdict,
)
from engine.validator.data.wire import Wire
from engine.validator.inspection.results import (
    CodeEvent,
    Edge,
    GraphEvent,
    GraphNode,
    InspectedEvent,
    InspectedGraph,
    KernelCode,
    KernelEvent,
    KernelFinding,
    KernelMeasurement,
    KernelsEvent,
    KernelVerdict,
    NodeKind,
    SourceLine,
    WrongValue,
)
from engine.validator.service.service import Command, Hear, Stop

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
METRICS = st.builds(
    Metrics,
    pearson=st.none() | NUMBERS,
    cosine=st.none() | NUMBERS,
    sqnr_db=st.none() | NUMBERS,
    max_abs=st.none() | NUMBERS,
    relative_l2=st.none() | NUMBERS,
    finite_percent=NUMBERS,
    tail_energy=st.none() | NUMBERS,
)
ROWS = st.builds(
    Row,
    utterance=st.integers(0, 99),
    stage=st.sampled_from(["bert", "decoder"]),
    output=st.text(),
    regime=st.sampled_from([*Regime, "compiled with decoder from dynamic"]).map(str),
    reference=st.just("dynamic"),
    reading=st.sampled_from(InputSource),
    verdict=st.sampled_from(Verdict),
    tolerance=NUMBERS,
    metrics=st.none() | METRICS,
    audio=st.none() | st.builds(AudioMetrics, NUMBERS, st.integers(), NUMBERS, NUMBERS, NUMBERS),
    durations=st.none() | st.builds(DurationMetrics, st.integers(), st.integers(), st.integers(), st.integers()),
    profile=st.none() | st.builds(Profile, st.sampled_from(["tokens", "frames"]), st.tuples(NUMBERS, NUMBERS)),
    seconds=st.none() | NUMBERS,
    reference_seconds=st.none() | NUMBERS,
    probe=st.booleans(),
)
REQUESTS = st.builds(
    ValidationRequest,
    speech=st.builds(SpeechRequest, st.text(), st.text(), NUMBERS, st.integers(0)),
    model=st.text(),
    weights=st.none() | st.text(),
    regimes=st.lists(st.sampled_from(Regime)).map(tuple),
    reference=st.sampled_from(Regime),
    padding=NUMBERS,
    cross=st.lists(st.tuples(st.text(), st.sampled_from(Regime))).map(tuple),
    arrays_folder=st.none() | st.text(),
)
UTTERANCES = st.builds(Utterance, st.integers(0), st.text(), st.text(), st.integers(0), st.integers(0), NUMBERS)
REPORTS = st.builds(
    Report,
    request=REQUESTS,
    utterances=st.lists(UTTERANCES, max_size=2).map(tuple),
    rows=st.lists(ROWS, max_size=3).map(tuple),
    findings=st.lists(st.builds(Finding, st.text(), st.text(), st.text()), max_size=2).map(tuple),
    versions=st.dictionaries(st.text(), st.text(), max_size=2),
)
NAMES = st.text(max_size=4)
SHAPES = st.lists(st.integers(0), max_size=3).map(tuple)
KERNEL_NODES = st.builds(
    GraphNode,
    id=NAMES,
    kind=st.sampled_from(NodeKind),
    label=NAMES,
    shape=SHAPES,
    dtype=NAMES,
    operators=st.lists(NAMES, max_size=2).map(tuple),
    source=st.lists(st.builds(SourceLine, NAMES, st.integers(1), NAMES), max_size=2).map(tuple),
    operations=st.none() | st.integers(0),
)
GRAPHS = st.builds(
    InspectedGraph,
    NAMES,
    st.lists(KERNEL_NODES, max_size=2).map(tuple),
    st.lists(st.builds(Edge, NAMES, NAMES), max_size=2).map(tuple),
)
MEASUREMENTS = st.builds(
    KernelMeasurement,
    stage=NAMES,
    node=NAMES,
    verdict=st.sampled_from(KernelVerdict),
    seconds=NUMBERS,
    relative_l2=st.none() | NUMBERS,
    times_floor=st.none() | NUMBERS,
    finite_percent=NUMBERS,
    first_wrong=st.none() | st.builds(WrongValue, SHAPES, st.none() | NUMBERS, st.none() | NUMBERS),
)
KERNEL_REQUESTS = st.builds(
    KernelRequest,
    REQUESTS,
    st.integers(0),
    st.lists(NAMES, max_size=2).map(tuple),
    st.lists(st.builds(Replacement, NAMES, st.none() | NAMES, st.sampled_from(Substitute)), max_size=2).map(tuple),
)
EVENTS = st.one_of(
    st.builds(PreparationEvent, st.text(), st.integers(), st.integers()),
    st.builds(
        PlanEvent,
        st.builds(
            Plan,
            st.lists(UTTERANCES, max_size=2).map(tuple),
            st.lists(st.builds(Notice, st.text(), st.integers(), st.integers()), max_size=2).map(tuple),
        ),
    ),
    st.builds(AlignmentEvent, st.integers(), st.lists(st.integers()).map(tuple)),
    st.builds(RowEvent, ROWS),
    st.builds(GraphEvent, GRAPHS),
    st.builds(KernelEvent, MEASUREMENTS),
    st.builds(CodeEvent, st.builds(KernelCode, st.text(), st.text(), st.text())),
    st.builds(InspectedEvent, NAMES, st.tuples(st.builds(KernelFinding, NAMES, NAMES, NAMES, st.text()))),
    st.builds(KernelsEvent, st.tuples(st.builds(KernelFinding, NAMES, NAMES, NAMES, st.text()))),
    st.builds(FinishedEvent, REPORTS),
    st.builds(FailedEvent, st.text(), st.text(), st.none() | st.sampled_from(RecoveryAction)),
)

wire = Wire()


def sent(value: object, kind: Any) -> object:
    """Return a value as it arrives in a different process."""
    return decoded(json.loads(json.dumps(encoded(value, kind), allow_nan=False)), kind)


@given(EVENTS)
def test_an_event_arrives_as_it_was_sent(event: ValidationEvent) -> None:
    assert sent(event, ValidationEvent) == event


@given(st.one_of(REQUESTS, KERNEL_REQUESTS, st.builds(Hear, st.integers()), st.builds(Stop)))
def test_a_command_arrives_as_it_was_sent(command: Command) -> None:
    assert sent(command, Command) == command


@given(REPORTS)
def test_a_report_can_be_read_again(report: Report) -> None:
    written = json.loads(json.dumps(wire.report_to_dict(report)))
    assert wire.report_from_dict(written) == report
    assert written["passed"] == report.passed


def test_a_row_shows_its_metrics_at_first_sight() -> None:
    row = Row(0, "bert", "text_features", "compiled", "dynamic", InputSource.END_TO_END, Verdict.INCOMPARABLE, 0.99999)
    plain = wire.row_to_dict(row)
    assert plain.keys() >= {"regime", "reference", "reading", "stage", "pearson", "max_abs", "verdict"}
    assert plain["pearson"] is None
    assert plain["reading"] == "own-fed"


@pytest.mark.parametrize("plain", [[], {}, {"rows": 3}, "a report"])
def test_anything_else_is_no_report(plain: Any) -> None:
    with pytest.raises(ValueError, match="no report"):
        wire.report_from_dict(plain)
