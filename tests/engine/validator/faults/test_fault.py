import re

import pytest

from engine.errors import CompileError, InvalidRequest
from engine.stages import DEVICE_STAGES
from engine.validator.faults.catalogue import FAULTS, fault_named
from engine.validator.faults.fault import ChangedLine, Edit, changed_lines


def test_an_edit_changes_the_first_match_or_all():
    assert Edit(r"a(\d)", r"b\1").made_in("a1 a2") == "b1 a2"
    assert Edit(r"a(\d)", r"b\1", everywhere=True).made_in("a1 a2") == "b1 b2"


def test_an_edit_without_a_match_is_none():
    assert Edit("x", "y").made_in("a b") is None


def test_changed_lines_are_those_that_differ_without_their_indentation():
    assert changed_lines("a\n  b\nc", "a\n  x\nc") == (ChangedLine("b", "x"),)


def test_an_edit_that_adds_a_line_is_refused():
    with pytest.raises(CompileError, match="change lines"):
        changed_lines("a", "a\nb")


def test_an_excerpt_shows_the_difference_in_a_long_line():
    before, after = ChangedLine("x" * 500 + "right" + "y" * 500, "x" * 500 + "wrong" + "y" * 500).excerpts
    assert "right" in before
    assert "wrong" in after
    assert len(before) == len(after) <= 82


def test_an_excerpt_of_a_line_that_only_grows_ends_with_what_is_new():
    assert ChangedLine("a = b", "a = b + 1").excerpts == ("a = b", "a = b + 1")


def test_names_are_unique_and_found():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert all(fault_named(fault.name) is fault for fault in FAULTS)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(InvalidRequest, match="no fault “bad-luck”") as refused:
        fault_named("bad-luck")
    assert FAULTS[0].name in refused.value.hint


def test_every_fault_is_in_a_compiled_stage_and_said_in_sentences():
    for fault in FAULTS:
        assert fault.stage in {stage.name for stage in DEVICE_STAGES}
        assert re.fullmatch(r"[A-Z].*\.", fault.planted)
        assert re.fullmatch(r"[A-Z].*\.", fault.symptom)
        assert not fault.title.endswith(".")


def test_a_kernel_is_recognised_by_its_name_and_number():
    fault = fault_named("winograd-coefficient")
    assert fault.is_in("conv1d")
    assert fault.is_in("conv1d12")
    assert not fault.is_in("conv_transpose1d")


def test_the_faults_are_in_ten_kernels_or_more():
    assert len({fault.kernel for fault in FAULTS}) >= 10
