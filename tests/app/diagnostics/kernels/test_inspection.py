from app.diagnostics.kernels.inspection import Inspection, severity
from engine.validator.inspection.results import GraphEvent, KernelEvent, KernelVerdict
from tests.app.inspection_fakes import CODES, FINDING, GRAPH, STAGE, inspected, measurement


def test_events_are_collected_by_stage() -> None:
    known = inspected().stage(STAGE)
    assert known is not None
    assert known.graph == GRAPH
    assert [node.id for node in known.kernels] == ["a1", "a2", "a3", "m", "b1", "b2"]
    assert known.measurements["m"] == measurement("m")
    assert known.codes["fused_add"] == CODES[1]
    assert known.findings == (FINDING,)
    assert inspected().stage("decoder") is None
    assert inspected().stage(None) is None


def test_events_say_which_stage_they_concern() -> None:
    inspection = Inspection()
    assert inspection.take(GraphEvent(GRAPH)) == STAGE
    assert inspection.take(KernelEvent(measurement("a1"))) == STAGE


def test_a_stage_inspected_again_starts_anew() -> None:
    inspection = inspected()
    inspection.take(GraphEvent(GRAPH))
    known = inspection.stage(STAGE)
    assert known is not None
    assert not known.measurements
    assert known.findings is None


def test_the_worst_kernel_is_the_first_finding_and_until_then_the_largest_error() -> None:
    finished, under_way = inspected().stage(STAGE), inspected(finished=False).stage(STAGE)
    assert finished is not None
    assert under_way is not None
    assert finished.worst_kernel() == "b1"
    assert under_way.worst_kernel() == "b1"
    assert finished.worst(("a1", "a3", "m")) == "a3"
    assert finished.worst(()) is None


def test_a_node_reads_those_before_it_and_is_read_by_those_after_it() -> None:
    known = inspected().stage(STAGE)
    assert known is not None
    assert [node.id for node in known.read_by("a2")] == ["a1", "in"]
    assert [node.id for node in known.readers_of("a2")] == ["a3"]
    assert known.read_by("in") == known.readers_of("out") == ()


def test_severity_goes_by_verdict_then_by_error() -> None:
    right, unknown = measurement("a"), measurement("a", KernelVerdict.UNKNOWN)
    imprecise = measurement("a", KernelVerdict.IMPRECISE, 50.0)
    worse = measurement("a", KernelVerdict.IMPRECISE, 51.0)
    wrong = measurement("a", KernelVerdict.WRONG, 2.0)
    in_order = [None, unknown, right, imprecise, worse, wrong]
    assert sorted([wrong, None, worse, right, unknown, imprecise], key=severity) == in_order


def test_a_wrong_kernel_whose_values_are_not_finite_is_the_worst() -> None:
    from dataclasses import replace

    lost = replace(measurement("a", KernelVerdict.WRONG), times_floor=None, finite_percent=50.0)
    assert severity(lost) > severity(measurement("a", KernelVerdict.WRONG, 1e30))
