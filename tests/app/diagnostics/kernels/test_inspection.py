from dataclasses import replace

import pytest

from app.diagnostics.kernels import inspection as words
from app.diagnostics.kernels.inspection import Inspection, severity
from engine.validator.inspection.results import GraphEvent, KernelEvent, KernelMeasurement, KernelVerdict
from tests.app.inspection_fakes import CODES, FINDING, GRAPH, INPUT, STAGE, graph_of, inspected, kernel, measurement

KNOWN = inspected().stage(STAGE)
NODES = {node.id: node for node in GRAPH.nodes}


def test_events_are_collected_by_stage() -> None:
    assert KNOWN.graph == GRAPH
    assert [node.id for node in KNOWN.kernels] == ["a1", "a2", "a3", "m", "b1", "b2"]
    assert KNOWN.measurements["m"] == measurement("m")
    assert KNOWN.codes["fused_add"] == CODES[1]
    assert KNOWN.findings == (FINDING,)
    assert inspected().stage("decoder") is None
    assert inspected().stage(None) is None


def test_events_say_which_stage_they_concern() -> None:
    inspection = Inspection()
    assert inspection.handle_event(GraphEvent(GRAPH)) == STAGE
    assert inspection.handle_event(KernelEvent(measurement("a1"))) == STAGE


def test_inspecting_a_stage_again_starts_from_scratch() -> None:
    inspection = inspected()
    inspection.handle_event(GraphEvent(GRAPH))
    known = inspection.stage(STAGE)
    assert not known.measurements
    assert known.findings is None


def test_the_worst_kernel_is_the_first_finding_or_else_the_largest_error() -> None:
    assert KNOWN.worst_kernel() == inspected(finished=False).stage(STAGE).worst_kernel() == "b1"
    assert KNOWN.worst(("a1", "a3", "m")) == "a3"
    assert KNOWN.worst(()) is None


def test_a_node_reads_earlier_nodes_and_is_read_by_later_ones() -> None:
    assert [node.id for node in KNOWN.read_by("a2")] == ["a1", "in"]
    assert [node.id for node in KNOWN.readers_of("a2")] == ["a3"]
    assert KNOWN.read_by("in") == KNOWN.readers_of("out") == ()


def test_severity_goes_by_verdict_then_by_error() -> None:
    right, unknown = measurement("a"), measurement("a", KernelVerdict.UNKNOWN)
    imprecise = measurement("a", KernelVerdict.IMPRECISE, 50.0)
    worse = measurement("a", KernelVerdict.IMPRECISE, 51.0)
    wrong = measurement("a", KernelVerdict.WRONG, 1e30)
    lost = replace(wrong, times_floor=None, finite_percent=50.0)
    in_order = [None, unknown, right, imprecise, worse, wrong, lost]
    assert sorted([lost, wrong, None, worse, right, unknown, imprecise], key=severity) == in_order


def test_every_verdict_has_a_sign_a_title_a_meaning_and_a_color() -> None:
    for said in (words.SIGNS, words.TITLES, words.DESCRIPTIONS, words.TONES):
        assert set(said) == set(KernelVerdict)
    assert len(set(words.SIGNS.values())) == len(KernelVerdict)


LOST = replace(measurement("a", KernelVerdict.WRONG), times_floor=None, finite_percent=50.0)
EXACT = replace(measurement("a"), times_floor=0.0, max_abs=0.0, relative_l2=0.0)


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (None, "not measured yet"),
        (measurement("a"), "✓ 1.2 × float32"),
        (measurement("a", KernelVerdict.UNKNOWN), "? Not comparable"),
        (LOST, "✗ 50 % finite"),
        (EXACT, "✓ exact"),
    ],
)
def test_the_state_of_a_node(measured: KernelMeasurement | None, said: str) -> None:
    assert words.describe_state(kernel("a"), measured) == said
    assert words.describe_state(INPUT, None) == "input"


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (None, "–"),
        (measurement("a"), "✓ 1.2"),
        (measurement("a", KernelVerdict.UNKNOWN), "? "),
        (LOST, "✗ 50 % finite"),
    ],
)
def test_a_state_as_short_as_can_be(measured: KernelMeasurement | None, said: str) -> None:
    assert words.format_short_error(measured) == said


def test_the_summary_proceeds_from_progress_to_faults() -> None:
    under_way = inspected(measurement("a1"), finished=False).stage(STAGE)
    fine = inspected(measurement("a1")).stage(STAGE)
    imprecise = inspected(measurement("a1", KernelVerdict.IMPRECISE)).stage(STAGE)
    one = inspected(replace(measurement("a1"), stage="one"), graph=graph_of([kernel("a1")], (), "one"), finished=False)
    alone = one.stage("one")
    alone.findings = ()
    assert words.summarize_inspection(alone) == "1 kernel, none is wrong"
    assert words.summarize_inspection(under_way) == "1 of 6 kernels measured"
    assert words.summarize_inspection(fine) == "6 kernels, none is wrong"
    assert words.summarize_inspection(imprecise) == "6 kernels, none is wrong, 1 imprecise"
    assert words.summarize_inspection(KNOWN) == "conv1d b1 is wrong from [0, 3, 17] on."


@pytest.mark.parametrize(
    ("amount", "said"),
    [(None, "–"), (0, "0 B"), (999, "999 B"), (999.6, "1 kB"), (30_720, "30.7 kB"), (2e9, "2 GB"), (5e15, "5e3 TB")],
)
def test_amounts(amount: float | None, said: str) -> None:
    assert words.format_amount(amount, "B") == said


@pytest.mark.parametrize(("seconds", "said"), [(2.5e-4, "250 µs"), (1e-3, "1 ms"), (0.125, "125 ms")])
def test_times(seconds: float, said: str) -> None:
    assert words.format_duration(seconds) == said


def test_figures_have_everything_that_is_known() -> None:
    figures = dict(words.figures_of(NODES["b1"], measurement("b1", KernelVerdict.WRONG, 31_000.0)))
    assert figures["Computes"] == "conv1d"
    assert figures["Module"] == "predictor.N.0.conv1"
    assert figures["Result"] == "1 × 64 × 30, float32"
    assert figures["Kernel"] == "fused_conv1d"
    assert figures["Schedule"] == "direct, tiles of 8 × 32"
    assert figures["Verdict"].startswith("✗ Wrong: ")
    assert figures["First wrong value"] == "[0, 3, 17] is 1.25, expected 0.5"
    assert figures["Time per call"] == "250 µs"
    assert figures["Operations"] == "2 MFLOP, 8 GFLOP/s"
    assert figures["Memory"] == "30.7 kB, 123 MB/s"


def test_inputs_and_unmeasured_nodes_have_figures_without_a_verdict() -> None:
    assert dict(words.figures_of(INPUT, None)) == {
        "Computes": "input",
        "Module": "–",
        "Result": "1 × 30 × 640, float32",
    }
    assert "Verdict" not in dict(words.figures_of(NODES["m"], None))
