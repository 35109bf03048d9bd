"""The file of students: what it says, and that nothing damaged is taken for whole."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import DamagedFile
from engine.network.student_file import Students, read_students, save_students

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


def test_what_was_saved_is_read(tmp_path: Path) -> None:
    students = saved(tmp_path)
    assert read_students(students.path) == students
    assert students.stages == ("duration", "text_encoder")
    weights = students.load_weights()
    assert {name: array.dtype for name, array in weights.items()} == dict.fromkeys(WEIGHTS, np.float32)
    assert all(np.array_equal(weights[name], array) for name, array in WEIGHTS.items())


def test_modules_depend_on_what_students_are_built_from_and_on_no_weight(tmp_path: Path) -> None:
    students = saved(tmp_path)
    others = save_students(tmp_path / "other", "another", ARCHITECTURES, {}, {})
    wider = save_students(tmp_path / "wider", "teacher", {"predictor.shared": {"width": 8}}, WEIGHTS, {})
    assert students.fingerprint == others.fingerprint != wider.fingerprint
    assert students.content != others.content


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DamagedFile, match=r"none\.safetensors cannot be read"):
        read_students(tmp_path / "none.safetensors")


def test_another_format_is_refused(tmp_path: Path) -> None:
    students = saved(tmp_path)
    content = students.path.read_bytes()
    assert content.count(b"students 1") == 1
    students.path.write_bytes(content.replace(b"students 1", b"students 9"))
    with pytest.raises(DamagedFile):
        read_students(students.path)


def test_students_without_places_are_refused(tmp_path: Path) -> None:
    save_students(tmp_path / "a", "teacher", 5, {}, {})  # type: ignore[arg-type]
    with pytest.raises(DamagedFile):
        read_students(tmp_path / "a")


def test_numbers_that_numpy_lacks_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    content = save_students(path, "teacher", {}, {"w": np.zeros(4, np.int8)}, {}).path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = content[8 : 8 + length].replace(b'"I8"', b'"F8_E4M3"')
    path.write_bytes(len(header).to_bytes(8, "little") + header + content[8 + length :])
    with pytest.raises(DamagedFile):
        read_students(path).load_weights()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_byte_or_a_lost_end_is_found_or_harmless(tmp_path: Path, data: st.DataObject) -> None:
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
