"""What is compiled once is not compiled again, and what cannot be compiled is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.software_metal import build
from tests.software_metal.build import Build
from tests.software_metal.kernels import text


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "software_metal"


def test_a_kernel_is_compiled_once_for_each_content(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build.build_kernels({"k": text("b0[0] = 1;")}, Build.CHECKED)
    other = build.build_kernels({"k": text("b0[0] = 2;")}, Build.CHECKED)
    assert first != other
    assert sorted(cache.iterdir()) == sorted([first, other])
    monkeypatch.setattr(build, "COMPILER", "no-such-compiler")
    assert build.build_kernels({"k": text("b0[0] = 1;")}, Build.CHECKED) == first
    with pytest.raises(RuntimeError, match=r"clang\+\+ and ld are needed"):
        build.build_kernels({"k": text("b0[0] = 1;")}, Build.FAST)


def test_a_wrong_kernel_is_refused_and_leaves_nothing(cache: Path) -> None:
    with pytest.raises(RuntimeError, match="kernel k is wrong in its types or address spaces"):
        build.build_kernels({"k": text("threadgroup float shared[1];\nb0 = shared;")}, Build.CHECKED)
    assert list(cache.iterdir()) == []


def test_only_checked_kernels_have_their_accesses_looked_at(cache: Path) -> None:
    checked = build.build_kernels({"k": text("b0[0] = 1;")}, Build.CHECKED).read_bytes()
    fast = build.build_kernels({"k": text("b0[0] = 1;")}, Build.FAST).read_bytes()
    assert b"__tsan_write4" in checked
    assert b"__tsan" not in fast


def test_each_way_of_compiling_has_a_library_of_its_own(cache: Path) -> None:
    built = {build.build_kernels({"k": text("b0[0] = 1;")}, way) for way in Build}
    assert sorted(cache.iterdir()) == sorted(built)
    assert len(built) == len(Build)
