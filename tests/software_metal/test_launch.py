"""Errors of a kernel are detected; correct kernels give Metal's results."""

import numpy as np
import pytest

from tests.software_metal.kernels import kernel, tensor

EXCHANGE = """
  threadgroup float shared_memory[64];
  shared_memory[threadIdx] = b0[threadIdx];
  {barrier}
  b0[threadIdx] = shared_memory[63 - threadIdx];
"""
BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);"


def test_barriers_make_threads_wait_for_each_other(device):
    values = np.arange(64, dtype="float32")
    held = tensor(device, values)
    kernel(EXCHANGE.format(barrier=BARRIER))(held, group=(64,))
    np.testing.assert_array_equal(held.numpy(), values[::-1])


def test_missing_barrier_is_caught(checked_device):
    held = tensor(checked_device, np.arange(64, dtype="float32"))
    with pytest.raises(RuntimeError, match=r"kernel k: threadgroup memory is read before it is written.*thread 0"):
        kernel(EXCHANGE.format(barrier=""))(held, group=(64,))


def test_missing_barrier_gives_no_number_without_the_checks(software_metal):
    with software_metal.fast():
        held = tensor(software_metal.device(), np.arange(64, dtype="float32"))
        kernel(EXCHANGE.format(barrier=""))(held, group=(64,))
    assert np.isnan(held.numpy()).any()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("shared[threadIdx] = 1; {b} shared[threadIdx] = shared[(threadIdx + 1) % 64];", "a race: written without"),
        ("shared[threadIdx] = 1; {b} shared[threadIdx] = shared[(threadIdx + 63) % 64];", "a race: read without"),
        ("shared[threadIdx / 2] = threadIdx;", "a race: two threads write"),
        ("if (threadIdx < 32) {{ shared[threadIdx] = shared[31 - threadIdx]; }}", "read before it is written"),
    ],
)
def test_races_in_threadgroup_memory_are_caught(checked_device, body, words):
    run = kernel("threadgroup float shared[64];\n" + body.format(b=BARRIER) + "\nb0[threadIdx] = 0;\n" + BARRIER)
    with pytest.raises(RuntimeError, match=words):
        run(tensor(checked_device, [0.0] * 64), group=(64,))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "if (threadIdx == 0) { b0[blockIdx] = 1;\nb0[blockIdx + 2] = b0[0]; }",
            "byte 0 is read after another threadgroup wrote it",
        ),
        ("b0[0] = 1;", "byte 0 is written after another thread"),
        (
            "b0[blockIdx * 4 + threadIdx] = 1;\nb0[blockIdx * 4] = b0[blockIdx * 4 + threadIdx / 2];",
            "read after another thread",
        ),
    ],
)
def test_races_in_device_memory_are_caught(checked_device, body, words):
    with pytest.raises(RuntimeError, match=f"a race in device memory: .*{words}"):
        kernel(body)(tensor(checked_device, [0.0] * 8), grid=(2,), group=(4,))


def test_a_race_through_two_names_of_one_buffer_is_caught(checked_device):
    held = tensor(checked_device, [0.0] * 8)
    run = kernel("float v = b0[8 - 1];\nb1[0] = 1;\nb2[threadIdx + 1] = b0[0] + v;", buffers=3)
    with pytest.raises(RuntimeError, match="a race in device memory"):
        run(held, held, tensor(checked_device, [0.0] * 8), group=(2,))


def test_device_memory_may_be_shared_across_a_barrier_and_between_launches(checked_device):
    held = tensor(checked_device, np.arange(8, dtype="float32"))
    run = kernel(f"float v = b0[threadIdx ^ 1] + 1;\n{BARRIER}\nb0[threadIdx] = v;\n{BARRIER}\nb0[threadIdx] += b0[0];")
    with pytest.raises(RuntimeError, match="a race in device memory"):  # the last line reads what thread 0 writes
        run(held, group=(8,))
    held = tensor(checked_device, np.arange(8, dtype="float32"))
    run = kernel(f"float v = b0[threadIdx ^ 1] + 1;\n{BARRIER}\nb0[threadIdx] = v;")
    run(held, group=(8,))
    run(held, group=(8,))
    np.testing.assert_array_equal(held.numpy(), np.arange(8) + 2)


def test_simdgroup_barrier_orders_its_own_threads_only(checked_device):
    body = "threadgroup float shared[64];\nshared[threadIdx] = b0[threadIdx];\n"
    body += "simdgroup_barrier(mem_flags::mem_threadgroup);\n"
    held = tensor(checked_device, np.arange(64, dtype="float32"))
    kernel(body + "b0[threadIdx] = shared[threadIdx ^ 1];")(held, group=(64,))
    np.testing.assert_array_equal(held.numpy(), np.arange(64) ^ 1)
    with pytest.raises(RuntimeError, match="a race: read without a barrier"):
        kernel(body + "b0[threadIdx] = shared[threadIdx & 31];")(held, group=(64,))


def test_threadgroup_memory_does_not_outlive_its_threadgroup(checked_device):
    body = "threadgroup float shared[1];\nif (blockIdx == 0) { shared[0] = 1; }\nb0[blockIdx] = shared[0];"
    with pytest.raises(RuntimeError, match=r"read before it is written.*threadgroup \(1, 0, 0\)"):
        kernel(body)(tensor(checked_device, [0.0] * 2), grid=(2,))


@pytest.mark.parametrize("reach", [("b0[threadIdx + 1] = 1;", "write"), ("b0[0] = b0[(int)threadIdx - 1];", "read")])
def test_out_of_bounds_access_is_caught(checked_device, reach):
    body, kind = reach
    with pytest.raises(
        RuntimeError, match=f"out of bounds: {kind} of 4 bytes at byte (28|-4) of buffer 0, which has 28"
    ):
        kernel(body)(tensor(checked_device, [0.0] * 7), group=(7,))


def test_access_far_past_a_buffer_is_caught_even_without_the_checks(device):
    with pytest.raises(RuntimeError, match=r"out of bounds.*thread 3"):
        kernel("if (threadIdx == 3) { b0[8] = 1; }")(tensor(device, [0.0] * 8), group=(4,))


def test_launches_continue_after_a_fault(device):
    held = tensor(device, np.arange(64, dtype="float32"))
    with pytest.raises(RuntimeError, match="out of bounds"):
        kernel(f"{BARRIER}\nb0[threadIdx + 4096] = 1;\n{BARRIER}")(held, group=(64,))
    kernel(EXCHANGE.format(barrier=BARRIER))(held, group=(64,))
    assert held.numpy()[0] == 63


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (f"if (threadIdx < 16) {{\n{BARRIER}\n}}", "thread 0 waits at the barrier of line 9, thread 16 has ended"),
        (f"if (threadIdx < 16) {{\n{BARRIER}\n}} else {{\n{BARRIER}\n}}", "line 9, thread 16 waits .* line 11"),
        (f"for (uint i = 0; i <= threadIdx / 32; ++i) {{\n{BARRIER}\n}}", "thread 0 has ended, thread 32 waits"),
    ],
)
def test_divergent_barrier_is_caught(device, body, words):
    with pytest.raises(RuntimeError, match=f"kernel k: divergent barrier: .*{words}"):
        kernel(body)(tensor(device, [0.0]), group=(64,))


def test_divergent_simdgroup_operation_is_caught(device):
    body = "float v = threadIdx;\nif (threadIdx < 8) { v = simd_shuffle_down(v, 1); }\nb0[threadIdx] = v;"
    with pytest.raises(RuntimeError, match=r"divergent simdgroup: thread 0 waits .* thread 8 has ended"):
        kernel(body)(tensor(device, [0.0] * 32), group=(32,))


def test_a_divergent_launch_does_not_affect_the_next_one(device):
    with pytest.raises(RuntimeError, match="divergent"):
        kernel(f"if (threadIdx < 8) {{\n{BARRIER}\n}}")(tensor(device, [0.0]), group=(32,))
    held = tensor(device, [0.0] * 32)
    kernel(f"if (b0[threadIdx] > 1) {{\n{BARRIER}\n}}\nb0[threadIdx] = 1;")(held, group=(32,))
    np.testing.assert_array_equal(held.numpy(), 1)


def test_simdgroups_may_wait_at_different_lines(device):
    held = tensor(device, np.arange(64, dtype="float32"))
    ways = "if (threadIdx < 32) {\nv = simd_shuffle(v, 7);\n} else {\nv = simd_shuffle(v, 9);\n}"
    kernel(f"float v = b0[threadIdx];\n{ways}\nb0[threadIdx] = v;")(held, group=(64,))
    np.testing.assert_array_equal(held.numpy(), [7] * 32 + [41] * 32)


LANES = np.arange(64) % 32
OTHERS = np.arange(64) // 32 * 32


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("simd_shuffle_down(v, 4)", np.where(LANES < 28, LANES + 4, LANES) + OTHERS),
        ("simd_shuffle_up(v, 4)", np.where(LANES >= 4, LANES - 4, LANES) + OTHERS),
        ("simd_shuffle_xor(v, 5)", (LANES ^ 5) + OTHERS),
        ("simd_shuffle(v, 7)", 7 + OTHERS),
    ],
)
def test_simdgroup_operations(device, operation, expected):
    held = tensor(device, np.arange(64, dtype="float32"))
    kernel(f"float v = b0[threadIdx];\nb0[threadIdx] = {operation};")(held, group=(64,))
    np.testing.assert_array_equal(held.numpy(), expected)


def test_private_memory_starts_as_no_number(device):
    held = tensor(device, [0.0])
    kernel("thread float local[2];\nlocal[1] = 1;\nb0[0] = local[(int)b0[0]];")(held)
    assert np.isnan(held.numpy()[0])


def test_apples_limits(device):
    held = tensor(device, [0.0])
    kernel("threadgroup float m[8192];\nm[threadIdx] = 0;\nif (threadIdx == 0) { b0[0] = m[0]; }")(held, group=(1024,))
    with pytest.raises(RuntimeError, match="1025 threads in a threadgroup, and Metal allows 1024"):
        kernel("b0[0] = 1;")(held, group=(1025,))
    with pytest.raises(RuntimeError, match="32788 bytes of threadgroup memory, and Metal allows 32768"):
        kernel("threadgroup float m[8193];\nthreadgroup float n[1];\nm[0] = 1; n[0] = 1; b0[0] = m[0];")(held)
    kernel("b0[0] = 1;", buffers=31)(*[held] * 31)
    with pytest.raises(RuntimeError, match="32 buffers, and Metal allows 31"):
        kernel("b0[0] = 1;", buffers=31, scalars="long n;", types=("int64",))(*[held] * 31, 1)


def test_scalars_and_positions(device):
    held = tensor(device, np.zeros(24, "float32"))
    run = kernel(
        "b0[blockIdx * 4 + threadIdx] = arg.scale * (float)(arg.offset + (long)(blockIdx * 10 + threadIdx));",
        scalars="long offset;\n  float scale;",
        types=("int64", "float32"),
    )
    run(held, 2**33, 0.5, grid=(6,), group=(4,))
    expected = [(2**33 + block * 10 + thread) * 0.5 for block in range(6) for thread in range(4)]
    np.testing.assert_array_equal(held.numpy(), np.array(expected, "float32"))


def test_halves_round_after_each_operation(device):
    values = np.array([1.0, 0.0004, 3.0, 60000.0], "float16")
    held = tensor(device, values)
    kernel("b0[0] = b0[0] + b0[1] + b0[1];\nb0[3] = b0[3] * b0[2];", element="half")(held)
    one, small = np.float16(1), values[1]
    np.testing.assert_array_equal(held.numpy(), np.array([one + small + small, small, 3, np.inf], "float16"))


def test_vectors(device):
    held = tensor(device, np.arange(8, dtype="float32"))
    body = """
  float4 v = *(device float4*)(b0 + 4);
  *(device float4*)(b0 + 0) = max(v * float4(2.0f), float4(9.0f, 1.0f, 1.0f, 1.0f)) + float4(v.w);
"""
    kernel(body)(held)
    np.testing.assert_array_equal(held.numpy(), [16, 17, 19, 21, 4, 5, 6, 7])


@pytest.mark.parametrize("space", ["device", "threadgroup"])
def test_misaligned_vectors_are_caught(device, space):
    body = "threadgroup float shared[8];\nfor (int i = 0; i < 8; ++i) { shared[i] = 0; }\n"
    place = {"device": "b0", "threadgroup": "shared"}[space]
    read = f"float4 v = *({space} float4*)({place} + {{at}});\nb0[0] = v.x;"
    held = tensor(device, [0.0] * 8)
    kernel(body + read.format(at=4))(held)
    with pytest.raises(RuntimeError, match=r"kernel k: misaligned: a vector at address .* in line 10"):
        kernel(body + read.format(at=2))(held)


def test_a_vector_of_halves_may_begin_at_every_fourth(device):
    held = tensor(device, np.arange(16, dtype="float16"))
    run = kernel("half4 v = *(device half4*)(b0 + 4);\n*(device half4*)(b0 + 12) = v;", element="half")
    run(held)
    np.testing.assert_array_equal(held.numpy()[12:], [4, 5, 6, 7])


def test_fast_mathematics_reorders_sums_and_knows_no_infinity(software_metal):
    body = "b0[0] = (b0[0] + b0[1]) - b0[1];\nb0[2] = isinf(b0[2]) ? 1.0f : 0.0f;"
    given = [1.0, 1e9, np.inf]
    exact, fast = tensor(software_metal.device(), given), tensor(software_metal.device(), given)
    kernel(body)(exact)
    with software_metal.fast_math():
        kernel(body)(fast)
    np.testing.assert_array_equal(exact.numpy(), np.float32([0, 1e9, 1]))
    np.testing.assert_array_equal(fast.numpy(), np.float32([1, 1e9, 0]))
