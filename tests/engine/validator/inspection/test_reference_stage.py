"""The parts of an LSTM, put together, are the LSTM; on CPUs and on Metal."""

import pytest
import torch
from torch import Tensor

from engine.network.ops.torch_ops import lstm_forward_packed_bidirectional
from engine.validator.inspection.reference_stage import LstmCall, directions_of, lstm_reference

BATCH, TIME, HIDDEN, CHANGING, CONSTANT = 2, 5, 3, 4, 2
GATES = 4 * HIDDEN
PACKED = torch.zeros(1)


@pytest.fixture
def parts() -> tuple[Tensor, Tensor, list[Tensor]]:
    """The input, whose last channels are the same at every step, lengths, and weights."""
    generator = torch.Generator().manual_seed(0)

    def random(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    constant = random(BATCH, 1, CONSTANT).expand(BATCH, TIME, CONSTANT)
    x = torch.cat([random(BATCH, TIME, CHANGING), constant], dim=2)
    direction = ((GATES, CHANGING + CONSTANT), (GATES, HIDDEN), (GATES,))
    weights = [random(*shape) for shape in direction * 2]
    return x, torch.tensor([5, 3], dtype=torch.int32), weights


def made(kernel: str, parts, arguments: list[Tensor], shape: tuple[int, ...], direction: int = 0) -> Tensor:
    x, lengths, weights = parts
    reference = lstm_reference(kernel)
    assert reference is not None
    result = torch.zeros(shape, dtype=torch.float64)
    call = LstmCall([*arguments, result], lambda: x, lengths, directions_of(weights), direction, shape)
    return reference(call).reshape(shape)


def test_the_parts_for_a_cpu_combine_into_the_whole(parts) -> None:
    x, lengths, weights = parts
    changing = made("fused_transpose_strided_slice2", parts, [x], (BATCH, TIME, CHANGING))
    operands = []
    for direction in range(2):
        rows = changing.reshape(BATCH * TIME, CHANGING)
        projected = made("linear3", parts, [rows, PACKED], (BATCH * TIME, GATES), direction)
        offset = made("lstm_offset", parts, [x[:, 0, CHANGING:], PACKED, PACKED], (BATCH, GATES), direction)
        operands += [projected.reshape(BATCH, TIME, GATES), offset, PACKED]
    whole = made("recurrence", parts, [*operands, lengths], (BATCH, TIME, 2 * HIDDEN))
    torch.testing.assert_close(whole, lstm_forward_packed_bidirectional(x, lengths, *weights))


def test_the_parts_for_metal_make_the_whole(parts) -> None:
    x, lengths, weights = parts
    rows = x.reshape(BATCH * TIME, CHANGING + CONSTANT)
    projected = made("linear", parts, [rows, PACKED, PACKED], (BATCH * TIME, 2 * GATES))
    arguments = [projected.reshape(BATCH, TIME, 2 * GATES), PACKED, lengths]
    whole = made("recurrence", parts, arguments, (BATCH, TIME, 2 * HIDDEN))
    torch.testing.assert_close(whole, lstm_forward_packed_bidirectional(x, lengths, *weights))


def test_the_offset_shared_by_all_steps_may_be_only_the_bias(parts) -> None:
    _, _, weights = parts
    offset = made("broadcast_to1", parts, [PACKED], (BATCH, GATES), 1)
    torch.testing.assert_close(offset, weights[5].expand(BATCH, GATES))
