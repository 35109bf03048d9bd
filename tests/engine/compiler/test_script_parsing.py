import inspect
from collections.abc import Iterator

import pytest
from tvm.script import tirx as T
from tvm_ffi import structural_equal

from engine.compiler.script_parsing import quick_parsing

PYTHONS_OWN = inspect.getouterframes  # while tests run, all of them parse quickly


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(inspect, "getouterframes", PYTHONS_OWN)
    yield
    assert inspect.getouterframes is PYTHONS_OWN


@T.inline
def copy(x, y, position):
    y[position] = x[position]


def copying(extent):
    @T.prim_func(s_tir=True)
    def copying(x: T.Buffer((extent,), "float32"), y: T.Buffer((extent,), "float32")):
        for position in T.serial(extent):
            copy(x, y, position)

    return copying


def test_frames_are_the_same_without_their_source() -> None:
    here = inspect.currentframe()
    full = inspect.getouterframes(here)
    with quick_parsing():
        quick = inspect.getouterframes(here)
    assert [(info.frame, info.filename, info.function) for info in quick] == [
        (info.frame, info.filename, info.function) for info in full
    ]
    assert full[0].code_context is not None
    assert [info.code_context for info in quick] == [None] * len(full)


def test_a_kernel_is_the_same() -> None:
    expected = copying(4)
    with quick_parsing():
        assert structural_equal(copying(4), expected)
        assert not structural_equal(copying(5), expected)


def test_a_failure_is_still_told() -> None:
    with pytest.raises(Exception, match="missing"), quick_parsing():

        @T.prim_func(s_tir=True)
        def wrong(x: T.Buffer((4,), "float32")):
            x[0] = missing  # noqa: F821
