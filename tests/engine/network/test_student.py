"""The student of an LSTM: padding, borders, and the operator that the compiler knows."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from engine.network.student import LstmStudent, StudentArchitecture, rotated, student_from

INPUTS, UNITS = 12, 8
SMALL = {"width": 16, "heads": 2, "layers": 2, "kernel": 3}


@pytest.fixture(scope="module")
def lstm():
    torch.manual_seed(3)
    return nn.LSTM(INPUTS, UNITS, batch_first=True, bidirectional=True).requires_grad_(False)


@pytest.fixture(scope="module", params=[0, 3], ids="doublings {}".format)
def student(lstm, request):
    torch.manual_seed(4)
    return LstmStudent.of(lstm, corrections=2, doublings=request.param, **SMALL).eval().requires_grad_(False)


def lengths_of(*lengths):
    return torch.tensor(lengths, dtype=torch.int32)


@settings(max_examples=20)
@given(steps=st.integers(1, 3), corrections=st.integers(1, 3), doublings=st.integers(0, 3))
def test_a_sequence_of_no_more_steps_than_corrections_is_exact(lstm, steps, corrections, doublings):
    torch.manual_seed(6)
    student = LstmStudent.of(lstm, corrections=corrections, doublings=doublings, **SMALL).eval()
    x = torch.randn(1, steps, INPUTS)
    exact = torch.allclose(student(x, lengths_of(steps)), lstm(x)[0], atol=1e-6)
    assert exact is (steps <= corrections)


def test_corrections_lead_to_the_lstm(lstm):
    torch.manual_seed(5)
    x, steps = torch.randn(1, 40, INPUTS), lengths_of(40)
    students = [LstmStudent.of(lstm, corrections=count, **SMALL).eval().requires_grad_(False) for count in (1, 10, 40)]
    errors = [(student(x, steps) - lstm(x)[0]).abs().max().item() for student in students]
    assert errors[0] > 3 * errors[1]
    assert errors[2] < 1e-6


@settings(max_examples=20)
@given(steps=st.integers(1, 20), doublings=st.integers(0, 4))
def test_a_correction_carries_the_cell_state_over_a_power_of_two_of_steps(steps, doublings):
    torch.manual_seed(7)
    lstm = nn.LSTM(INPUTS, UNITS, batch_first=True, bidirectional=True).requires_grad_(False)
    lstm.weight_hh_l0.zero_()  # no gate depends on a hidden state, so that nothing but the cell state is guessed
    lstm.weight_hh_l0_reverse.zero_()
    student = LstmStudent.of(lstm, corrections=1, doublings=doublings, **SMALL).eval()
    x = torch.randn(1, steps, INPUTS)
    errors = (student(x, lengths_of(steps)) - lstm(x)[0]).abs().amax(dim=(0, 2))
    reached = torch.arange(steps) < 2**doublings
    assert (errors[reached & reached.flip(0)] < 1e-6).all()
    assert (errors.max() < 1e-6) == (steps <= 2**doublings)


@pytest.mark.parametrize("padding", [0.0, 7.0, float("nan"), float("inf")])
@pytest.mark.parametrize("training", [False, True])
def test_padding_changes_nothing(student, padding, training):
    x, lengths = torch.randn(3, 9, INPUTS), lengths_of(9, 2, 5)
    alone = [
        student(x[index : index + 1, :length], lengths[index : index + 1]) for index, length in enumerate((9, 2, 5))
    ]
    x[1, 2:], x[2, 5:] = padding, padding
    student.train(training)
    together = student(x, lengths)
    student.eval()
    for index, expected in enumerate(alone):
        length = expected.shape[1]
        torch.testing.assert_close(together[index, :length], expected[0], atol=1e-6, rtol=1e-5)
        assert not together[index, length:].any()


@settings(max_examples=15)
@given(first=st.integers(1, 510), second=st.integers(1, 510))
def test_every_length_beside_any_other(student, first, second):
    generator = torch.Generator().manual_seed(first)
    x = torch.randn(2, max(first, second), INPUTS, generator=generator)
    together = student(x, lengths_of(first, second))
    for index, length in enumerate((first, second)):
        alone = student(x[index : index + 1, :length], lengths_of(length))
        torch.testing.assert_close(together[index, :length], alone[0], atol=1e-5, rtol=1e-4)
        assert not together[index, length:].any()


def test_the_attention_that_trains_is_the_operator(student):
    x, lengths = torch.randn(2, 30, INPUTS), lengths_of(30, 17)
    expected = student(x, lengths)
    student.train()
    trained = student(x, lengths)
    student.eval()
    torch.testing.assert_close(trained, expected, atol=1e-6, rtol=1e-5)


def test_only_the_guess_learns(lstm):
    fresh = LstmStudent.of(lstm, **SMALL).train()
    fresh(torch.randn(2, 7, INPUTS), lengths_of(7, 4)).square().sum().backward()
    learning = {name for name, parameter in fresh.named_parameters() if parameter.grad is not None}
    assert learning == set(fresh.taught)
    assert not learning & set(lstm.state_dict())


def test_rotation_makes_products_depend_on_the_distance_alone():
    row, key = torch.randn(2, 1, 1, 8).expand(2, 1, 20, 8)
    products = rotated(row, 2)[0] @ rotated(key, 2)[0].T
    for distance in (0, 3, -7):
        diagonal = products.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-4, rtol=1e-4)


def test_exports_with_symbolic_batch_and_time(student):
    batch, time = torch.export.Dim("batch", max=64), torch.export.Dim("time", max=4096)
    arguments = torch.randn(2, 9, INPUTS), lengths_of(9, 5)
    exported = torch.export.export(student, arguments, dynamic_shapes=({0: batch, 1: time}, {0: batch})).module()
    x, lengths = torch.randn(3, 21, INPUTS), lengths_of(4, 21, 1)
    torch.testing.assert_close(exported(x, lengths), student(x, lengths), atol=1e-6, rtol=1e-5)


def test_is_built_again_from_its_architecture(student):
    fields = dict(vars(student.architecture))
    again = student_from(fields).eval()
    again.load_state_dict(student.state_dict())
    x, lengths = torch.randn(1, 6, INPUTS), lengths_of(6)
    assert torch.equal(again(x, lengths), student(x, lengths))
    assert again.architecture == StudentArchitecture(**fields)
    with pytest.raises(TypeError):
        student_from({**fields, "colour": 1})
