"""The student of an LSTM: padding, borders, and the operator that the compiler knows."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn

from engine.errors import DamagedFile
from engine.network.student import LstmStudent, StudentArchitecture, rotated, student_from
from engine.network.student_file import Students, read_students, save_students

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
def test_a_correction_carries_the_cell_state_over_a_power_of_two_steps(steps, doublings):
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


ARCHITECTURES = {
    "text_encoder.lstm": {"kind": "attention", "width": 4},
    "predictor.lstm": {"kind": "attention", "width": 4},
    "predictor.text_encoder.lstms.2": {"kind": "attention", "width": 4},
}
WEIGHTS = {
    "predictor.lstm.weight": np.arange(6, dtype=np.float16).reshape(2, 3),
    "text_encoder.lstm.bias": np.linspace(0, 1, 5, dtype=np.float32),
}


def saved(folder: Path) -> Students:
    return save_students(folder / "new" / "prosody.safetensors", "teacher", ARCHITECTURES, WEIGHTS, {"f0": 1.5})


def test_saved_students_can_be_read_back(tmp_path):
    students = saved(tmp_path)
    assert read_students(students.path) == students
    assert students.stages == ("duration", "text_encoder")
    weights = students.load_weights()
    assert {name: array.dtype for name, array in weights.items()} == dict.fromkeys(WEIGHTS, np.float32)
    assert all(np.array_equal(weights[name], array) for name, array in WEIGHTS.items())


def test_modules_depend_on_the_student_architecture_but_not_on_weights(tmp_path):
    students = saved(tmp_path)
    others = save_students(tmp_path / "other", "other", ARCHITECTURES, {}, {})
    wider = save_students(tmp_path / "wider", "teacher", {"predictor.shared": {"width": 8}}, WEIGHTS, {})
    assert students.fingerprint == others.fingerprint != wider.fingerprint
    assert students.content != others.content


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DamagedFile, match=r"none\.safetensors .*be read"):
        read_students(tmp_path / "none.safetensors")


def test_an_unsupported_format_is_refused(tmp_path):
    students = saved(tmp_path)
    content = students.path.read_bytes()
    assert content.count(b"students 1") == 1
    students.path.write_bytes(content.replace(b"students 1", b"students 9"))
    with pytest.raises(DamagedFile):
        read_students(students.path)


def test_students_without_places_are_refused(tmp_path):
    save_students(tmp_path / "a", "teacher", 5, {}, {})
    with pytest.raises(DamagedFile):
        read_students(tmp_path / "a")


def test_numbers_that_numpy_lacks_are_refused(tmp_path):
    path = tmp_path / "a"
    content = save_students(path, "teacher", {}, {"w": np.zeros(4, np.int8)}, {}).path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length].replace(b'"I8"', b'"F8_E4M3"')
    path.write_bytes(len(header).to_bytes(8, "little") + header + content[8 + length :])
    with pytest.raises(DamagedFile):
        read_students(path).load_weights()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_byte_or_a_lost_end_is_found_or_harmless(tmp_path, data):
    students = saved(tmp_path)
    content = bytearray(students.path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[place:]
    else:
        content[place] ^= data.draw(st.integers(1, 255))
    students.path.write_bytes(content)
    try:
        weights = read_students(students.path).load_weights()
    except DamagedFile:
        return
    assert all(np.array_equal(weights[name], array) for name, array in WEIGHTS.items())
