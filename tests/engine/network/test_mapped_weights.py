import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.errors import DamagedFile
from engine.network.mapped_weights import map_weights


@pytest.fixture
def arrays() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {"a.weight": (3, 4, 5), "b.bias": (7,), "none": (0, 2)}
    return {name: random.standard_normal(shape, np.float32) for name, shape in shapes.items()}


def test_arrays_are_as_they_were_saved_and_stay_so(tmp_path: Path, arrays: dict[str, np.ndarray]) -> None:
    save_file(arrays, tmp_path / "f.safetensors", {"some": "words"})
    mapped = map_weights(tmp_path / "f.safetensors")
    assert set(mapped) == set(arrays)
    assert all(np.array_equal(mapped[name], array) for name, array in arrays.items())
    mapped["b.bias"][:] = 0  # torch wants arrays that it could write to
    assert np.array_equal(map_weights(tmp_path / "f.safetensors")["b.bias"], arrays["b.bias"])


@pytest.mark.parametrize("length", [0, 4, 20, 200])
def test_a_file_cut_short_is_damaged(tmp_path: Path, arrays: dict[str, np.ndarray], length: int) -> None:
    path = tmp_path / "f.safetensors"
    save_file(arrays, path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DamagedFile, match=r"cannot be read.*again"):
        map_weights(path)


def test_other_numbers_than_float32_are_refused(tmp_path: Path) -> None:
    save_file({"a": np.zeros(3, np.float16)}, tmp_path / "f.safetensors")
    with pytest.raises(DamagedFile):
        map_weights(tmp_path / "f.safetensors")


@pytest.mark.parametrize("offsets", [[], [1 << 80, 0]])
def test_an_array_that_is_nowhere_is_refused(tmp_path: Path, offsets: list[int]) -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": [1], "data_offsets": offsets}}).encode()
    (tmp_path / "f.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(DamagedFile):
        map_weights(tmp_path / "f.safetensors")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DamagedFile, match=r"gone\.safetensors"):
        map_weights(tmp_path / "gone.safetensors")
