"""Metal text becomes C++ line by line."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.software_metal import build
from tests.software_metal.address_spaces import complaints
from tests.software_metal.build import Build
from tests.software_metal.kernels import kernel, tensor, text
from tests.software_metal.loader import install
from tests.software_metal.metal_module import serialized
from tests.software_metal.translate import SCALAR_BYTES, translate, type_bytes


def test_lines_keep_their_numbers():
    metal = text("  b0[0] = 1;\n  b1[0] = 2;", buffers=2, scalars="long n;")
    metal_lines, cpp_lines = metal.splitlines(), translate("k", metal).text.splitlines()
    for line in ("  b0[0] = 1;", "  b1[0] = 2;", "  long n;", "using namespace metal;"):
        assert cpp_lines.index(line) == metal_lines.index(line)


def test_each_parameter_gets_its_argument():
    entry = translate("k", text("", buffers=2, scalars="long n;")).text.splitlines()[-1]
    assert entry.endswith(
        "{ k(call->threadgroup_memory, (device float*)call->buffers[0], (device float*)call->buffers[1], "
        "*static_cast<const k_args_t*>(call->scalars), uint(call->group_position[0]), "
        "uint(call->thread_position[0])); }"
    )


def test_vectors_are_accessed_where_they_may_lie():
    line = "*(device float4*)(b0 + 4) = *(thread float4*)(values + 0) + float4(1.0f);"
    checked = "*software_metal_aligned<float4>(b0 + 4) = *software_metal_aligned<float4>(values + 0) + float4(1.0f);"
    assert checked in translate("k", text(line)).text


def test_positions_have_as_many_axes_as_the_text_says():
    metal = text("").replace("uint blockIdx", "uint3 blockIdx").replace("uint threadIdx", "uint2 threadIdx")
    entry = translate("k", metal).text.splitlines()[-1]
    assert "uint3(call->group_position[0], call->group_position[1], call->group_position[2])" in entry
    assert "uint2(call->thread_position[0], call->thread_position[1])" in entry


@given(st.lists(st.tuples(st.sampled_from(["float", "half", "int4", "float3", "uchar"]), st.integers(1, 99))))
def test_threadgroup_arrays_lie_apart(arrays):
    body = "\n".join(f"threadgroup {kind} array_{index}[{count}];" for index, (kind, count) in enumerate(arrays))
    translation = translate("k", text(body))
    firsts = [int(line.split(" + ")[1].rstrip(");")) for line in translation.text.splitlines() if "reinterpret" in line]
    ends = [first + count * type_bytes(kind) for first, (kind, count) in zip(firsts, arrays, strict=True)]
    assert all(first % 16 == 0 for first in firsts)
    assert all(end <= first for end, first in zip(ends, firsts[1:], strict=False))
    assert translation.threadgroup_bytes == (ends[-1] if ends else 0)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("b0[0] = 1;", False),
        ("threadgroup_barrier(mem_flags::mem_threadgroup);", True),
        ("b0[0] = simd_shuffle(b0[0], 1);", True),
        ("simdgroup_barrier(mem_flags::mem_threadgroup);", True),
        ("simdgroup_load(a[0], (&(b0[0])), 8, 0, (bool)0);", True),
        ("simdgroup_float8x8 a[1];", False),
    ],
)
def test_knows_whether_threads_wait_for_each_other(body, expected):
    assert translate("k", text(body)).synchronizes is expected


def test_vectors_of_three_take_the_room_of_four():
    assert [type_bytes(kind) for kind in ("half", "half2", "half3", "half4", "long4")] == [2, 4, 8, 8, 32]
    assert all(type_bytes(f"{kind}3") == type_bytes(f"{kind}4") for kind in SCALAR_BYTES)


def test_code_not_written_by_tvm_is_refused():
    with pytest.raises(ValueError, match="no kernel other"):
        translate("other", text(""))
    with pytest.raises(ValueError, match="not as TVM writes it"):
        translate("k", text("").replace("[[ buffer(0) ]]", ""))


RIGHT = """
  threadgroup float shared[32];
  thread float local[4];
  *(thread float4*)(local + 0) = *(device float4*)(b0 + arg.n);
  shared[threadIdx] = ((volatile threadgroup float*)shared)[0] + simd_shuffle_down(local[0], 16);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_float8x8 matrix[2];
  simdgroup_half8x8 narrow[1];
  matrix[0] = make_filled_simdgroup_matrix<float, 8, 8>(0.000000e+00f);
  simdgroup_load(matrix[1], (&(b0[3])), 16, 0, (bool)0);
  simdgroup_multiply_accumulate(matrix[0], narrow[0], narrow[0], matrix[1]);
  simdgroup_store(matrix[0], (&(shared[0])), 8, 0, (bool)0);
  b1[threadIdx] = select(max(shared[0], 1.0f), exp(local[1]), isnan(local[2])) + as_type<float>((int)1);
"""


def test_right_text_has_no_complaints():
    assert complaints(text(RIGHT, buffers=2, scalars="long n;")) == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("b0 = shared;", "__local"),
        ("thread float* p = b0; p[0] = 1;", "__global"),
        ("device float* p = (device float*)shared; p[0] = 1;", "__local"),
        ("float4 v = float4(1.0f, 2.0f);", "make_float4"),
        ("b0[0] = max(threadIdx, (int)2);", "max"),
        ("b0[0] = exp_of(1.0f);", "exp_of"),
        ("arg.n = 1;", "read-only"),
        ("simdgroup_half8x8 m[1]; simdgroup_load(m[0], (&(b0[0])), 8, 0, (bool)0);", "simdgroup_load"),
        ("thread float p[64]; simdgroup_float8x8 m[1]; simdgroup_store(m[0], p, 8, 0, (bool)0);", "simdgroup_store"),
        ("simdgroup_float8x8 m; simdgroup_half8x8 n; simdgroup_multiply_accumulate(m, m, n, m);", "Factor"),
    ],
)
def test_wrong_text_is_complained_about(line, words):
    wrong = complaints(text(f"threadgroup float shared[32];\n{line}", scalars="long n;"))
    assert "error" in wrong
    assert words in wrong


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "software_metal"


def test_a_kernel_is_compiled_once_for_each_content(cache, monkeypatch):
    first = build.build_kernels({"k": text("b0[0] = 1;")}, Build.CHECKED)
    other = build.build_kernels({"k": text("b0[0] = 2;")}, Build.CHECKED)
    assert first != other
    assert sorted(cache.iterdir()) == sorted([first, other])
    monkeypatch.setattr(build, "COMPILER", "no-such-compiler")
    assert build.build_kernels({"k": text("b0[0] = 1;")}, Build.CHECKED) == first
    with pytest.raises(RuntimeError, match=r"clang\+\+ and ld are needed"):
        build.build_kernels({"k": text("b0[0] = 1;")}, Build.FAST)


def test_a_wrong_kernel_is_refused_and_leaves_nothing(cache):
    with pytest.raises(RuntimeError, match="kernel k is wrong in its types or address spaces"):
        build.build_kernels({"k": text("threadgroup float shared[1];\nb0 = shared;")}, Build.CHECKED)
    assert list(cache.iterdir()) == []


def test_only_checked_kernels_have_their_accesses_looked_at(cache):
    checked = build.build_kernels({"k": text("b0[0] = 1;")}, Build.CHECKED).read_bytes()
    fast = build.build_kernels({"k": text("b0[0] = 1;")}, Build.FAST).read_bytes()
    assert b"__tsan_write4" in checked
    assert b"__tsan" not in fast


def test_each_way_of_compiling_has_a_separate_library(cache):
    built = {build.build_kernels({"k": text("b0[0] = 1;")}, way) for way in Build}
    assert sorted(cache.iterdir()) == sorted(built)
    assert len(built) == len(Build)


WITH_ANOTHER_DEVICE = """
import tvm, tvm_ffi
from tests.software_metal.loader import install
tvm_ffi.register_global_func("device_api.metal", lambda: None)
install()
"""


def test_the_device_is_installed_once(software_metal):
    assert install() is software_metal


def test_a_real_device_is_left_alone():
    done = subprocess.run([sys.executable, "-c", WITH_ANOTHER_DEVICE], capture_output=True, text=True, check=False)
    assert "RuntimeError: this TVM has a real Metal device" in done.stderr


def test_a_program_runs_with_the_device(tmp_path):
    (tmp_path / "asks.py").write_text("import sys, tvm; print(sys.argv[1:], tvm.metal(0).exist)", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tests.software_metal", "asks", "--device", "metal"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.stdout.strip() == "['--device', 'metal'] True", done.stderr


def test_launches_are_counted(software_metal):
    before = software_metal.launches()
    run = kernel("b0[0] = 1;")
    for _ in range(3):
        run(tensor(software_metal.device(), [0.0]))
    assert software_metal.launches() == before + 3


def test_kernels_are_checked_again_after_fast_ones(software_metal):
    two_writers = "b0[0] = 1;"
    held = tensor(software_metal.device(), [0.0])
    with software_metal.fast():
        kernel(two_writers)(held, group=(2,))
    np.testing.assert_array_equal(held.numpy(), [1])
    with pytest.raises(RuntimeError, match="a race in device memory"):
        kernel(two_writers)(held, group=(2,))


def test_a_module_matches_the_bytes_it_was_loaded_from(software_metal):
    import tvm_ffi

    written = serialized("k", "the text of k", ["handle", "int64"])
    load = tvm_ffi.get_global_func("ffi.Module.load_from_bytes.metal")
    module = load(written)
    assert module.kind == "metal"
    assert module.inspect_source() == "// Function: k\nthe text of k\n"
    for damaged, words in [(written[:-1], "ends too early"), (written + b"x", "more bytes than it should")]:
        with pytest.raises(ValueError, match=words):
            load(damaged)
    with pytest.raises(ValueError, match="not metallib"):
        load(written.replace(b"\x05\0\0\0\0\0\0\0metal", b"\x08\0\0\0\0\0\0\0metallib", 1))
