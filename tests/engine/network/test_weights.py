"""Weights must be what torch makes of the same file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from torch import nn
from torch.nn.utils import remove_weight_norm, weight_norm
from torch.nn.utils.parametrizations import weight_norm as parametrized_weight_norm

from engine.errors import DamagedFile
from engine.network.weights import folded, load_weights


def arrays(module: nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.detach().numpy() for name, tensor in module.state_dict().items()}


@pytest.mark.parametrize("kind", [nn.Conv1d, nn.ConvTranspose1d])
def test_folds_weight_norm_as_torch_does(kind: type[nn.Module]) -> None:
    layer = nn.Sequential(weight_norm(kind(6, 4, 3)))
    ours = folded(arrays(layer))
    remove_weight_norm(layer[0])
    assert set(ours) == {"0.weight", "0.bias"}
    np.testing.assert_allclose(ours["0.weight"], layer[0].weight.detach(), rtol=1e-6)


def test_folds_parametrised_weight_norm() -> None:
    layer = nn.Sequential(parametrized_weight_norm(nn.Conv1d(6, 4, 3)))
    ours = folded(arrays(layer))
    assert set(ours) == {"0.weight", "0.bias"}
    np.testing.assert_allclose(ours["0.weight"], layer[0].weight.detach(), rtol=1e-6)


def test_loads_half_precision_as_float32(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"a.weight": np.array([[0.5, -2]], np.float16), "b": np.ones(3, np.float32)}, path)
    weights = load_weights(path)
    assert {array.dtype.name for array in weights.values()} == {"float32"}
    np.testing.assert_array_equal(weights["a.weight"], [[0.5, -2]])


@pytest.mark.parametrize("content", [None, b"", b"not weights at all"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "model.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DamagedFile, match=r"model\.safetensors") as caught:
        load_weights(path)
    assert caught.value.path == path


def test_a_cut_file_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"a": np.ones(1000, np.float32)}, path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedFile):
        load_weights(path)


def test_needs_no_torch() -> None:
    """The compiled engine loads weights without PyTorch."""
    import subprocess
    import sys

    check = "import sys, engine.network.weights; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_tensors_without_weight_norm_pass() -> None:
    lstm = nn.LSTM(3, 2)
    ours = folded(arrays(lstm))
    assert set(ours) == set(lstm.state_dict())
    torch.testing.assert_close(torch.from_numpy(ours["weight_hh_l0"]), lstm.weight_hh_l0.detach())
