"""Metal text becomes C++ line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.software_metal.kernels import text
from tests.software_metal.translate import SCALAR_BYTES, translate, type_bytes


def test_lines_keep_their_numbers() -> None:
    metal = text("  b0[0] = 1;\n  b1[0] = 2;", buffers=2, scalars="long n;")
    metal_lines, cpp_lines = metal.splitlines(), translate("k", metal).text.splitlines()
    for line in ("  b0[0] = 1;", "  b1[0] = 2;", "  long n;", "using namespace metal;"):
        assert cpp_lines.index(line) == metal_lines.index(line)


def test_each_parameter_gets_its_argument() -> None:
    entry = translate("k", text("", buffers=2, scalars="long n;")).text.splitlines()[-1]
    assert entry.endswith(
        "{ k(call->threadgroup_memory, (device float*)call->buffers[0], (device float*)call->buffers[1], "
        "*static_cast<const k_args_t*>(call->scalars), uint(call->group_position[0]), "
        "uint(call->thread_position[0])); }"
    )


def test_vectors_are_accessed_where_they_may_lie() -> None:
    line = "*(device float4*)(b0 + 4) = *(thread float4*)(values + 0) + float4(1.0f);"
    checked = "*software_metal_aligned<float4>(b0 + 4) = *software_metal_aligned<float4>(values + 0) + float4(1.0f);"
    assert checked in translate("k", text(line)).text


def test_positions_have_as_many_axes_as_the_text_says() -> None:
    metal = text("").replace("uint blockIdx", "uint3 blockIdx").replace("uint threadIdx", "uint2 threadIdx")
    entry = translate("k", metal).text.splitlines()[-1]
    assert "uint3(call->group_position[0], call->group_position[1], call->group_position[2])" in entry
    assert "uint2(call->thread_position[0], call->thread_position[1])" in entry


@given(st.lists(st.tuples(st.sampled_from(["float", "half", "int4", "float3", "uchar"]), st.integers(1, 99))))
def test_threadgroup_arrays_lie_apart(arrays: list[tuple[str, int]]) -> None:
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
def test_knows_whether_threads_wait_for_each_other(body: str, expected: bool) -> None:
    assert translate("k", text(body)).synchronises is expected


def test_vectors_of_three_take_the_room_of_four() -> None:
    assert [type_bytes(kind) for kind in ("half", "half2", "half3", "half4", "long4")] == [2, 4, 8, 8, 32]
    assert all(type_bytes(f"{kind}3") == type_bytes(f"{kind}4") for kind in SCALAR_BYTES)


def test_what_tvm_does_not_write_is_refused() -> None:
    with pytest.raises(ValueError, match="no kernel other"):
        translate("other", text(""))
    with pytest.raises(ValueError, match="not as TVM writes it"):
        translate("k", text("").replace("[[ buffer(0) ]]", ""))
