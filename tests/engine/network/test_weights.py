"""Weights must be what torch makes of the same file."""

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from torch import nn
from torch.nn.utils import remove_weight_norm, weight_norm
from torch.nn.utils.parametrizations import weight_norm as parametrized_weight_norm

from engine.errors import DamagedFile
from engine.network.architecture import build_network
from engine.network.mapped_weights import map_weights
from engine.network.random_weights import network_with, random_weights, without_weight_norm
from engine.network.weights import folded, load_weights
from engine.runtime.runners.host import durations
from engine.runtime.runners.torch_runner import ExportableRunner
from tests.engine.network.utterances import all_values, opening


def arrays(module: nn.Module) -> dict[str, np.ndarray]:
    return {name: tensor.detach().numpy() for name, tensor in module.state_dict().items()}


@pytest.mark.parametrize("kind", [nn.Conv1d, nn.ConvTranspose1d])
def test_folds_weight_norm_as_torch_does(kind):
    layer = nn.Sequential(weight_norm(kind(6, 4, 3)))
    ours = folded(arrays(layer))
    remove_weight_norm(layer[0])
    assert set(ours) == {"0.weight", "0.bias"}
    np.testing.assert_allclose(ours["0.weight"], layer[0].weight.detach(), rtol=1e-6)


def test_folds_parametrized_weight_norm():
    layer = nn.Sequential(parametrized_weight_norm(nn.Conv1d(6, 4, 3)))
    ours = folded(arrays(layer))
    assert set(ours) == {"0.weight", "0.bias"}
    np.testing.assert_allclose(ours["0.weight"], layer[0].weight.detach(), rtol=1e-6)


def test_loads_half_precision_as_float32(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"a.weight": np.array([[0.5, -2]], np.float16), "b": np.ones(3, np.float32)}, path)
    weights = load_weights(path)
    assert {array.dtype.name for array in weights.values()} == {"float32"}
    np.testing.assert_array_equal(weights["a.weight"], [[0.5, -2]])


@pytest.mark.parametrize("content", [None, b"", b"not weights at all"])
def test_a_damaged_file_is_named(tmp_path, content):
    path = tmp_path / "model.safetensors"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DamagedFile, match=r"model\.safetensors") as caught:
        load_weights(path)
    assert caught.value.path == path


def test_a_cut_file_is_damaged(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"a": np.ones(1000, np.float32)}, path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedFile):
        load_weights(path)


def test_needs_no_torch():
    """The compiled engine loads weights without PyTorch."""
    import subprocess
    import sys

    check = "import sys, engine.network.weights; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_tensors_without_weight_norm_pass():
    lstm = nn.LSTM(3, 2)
    ours = folded(arrays(lstm))
    assert set(ours) == set(lstm.state_dict())
    torch.testing.assert_close(torch.from_numpy(ours["weight_hh_l0"]), lstm.weight_hh_l0.detach())


@pytest.fixture
def mapped_arrays() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    shapes = {"a.weight": (3, 4, 5), "b.bias": (7,), "none": (0, 2)}
    return {name: random.standard_normal(shape, np.float32) for name, shape in shapes.items()}


def test_arrays_are_as_they_were_saved_and_stay_so(tmp_path, mapped_arrays):
    save_file(mapped_arrays, tmp_path / "f.safetensors", {"some": "words"})
    mapped = map_weights(tmp_path / "f.safetensors")
    assert set(mapped) == set(mapped_arrays)
    assert all(np.array_equal(mapped[name], array) for name, array in mapped_arrays.items())
    mapped["b.bias"][:] = 0  # torch wants mapped_arrays that it could write to
    assert np.array_equal(map_weights(tmp_path / "f.safetensors")["b.bias"], mapped_arrays["b.bias"])


@pytest.mark.parametrize("length", [0, 4, 20, 200])
def test_a_file_cut_short_is_damaged(tmp_path, mapped_arrays, length):
    path = tmp_path / "f.safetensors"
    save_file(mapped_arrays, path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(DamagedFile, match=r"be read.*again"):
        map_weights(path)


def test_other_numbers_than_float32_are_refused(tmp_path):
    save_file({"a": np.zeros(3, np.float16)}, tmp_path / "f.safetensors")
    with pytest.raises(DamagedFile):
        map_weights(tmp_path / "f.safetensors")


@pytest.mark.parametrize("offsets", [[], [1 << 80, 0]])
def test_an_array_that_is_nowhere_is_refused(tmp_path, offsets):
    header = json.dumps({"a": {"dtype": "F32", "shape": [1], "data_offsets": offsets}}).encode()
    (tmp_path / "f.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(DamagedFile):
        map_weights(tmp_path / "f.safetensors")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DamagedFile, match=r"gone\.safetensors"):
        map_weights(tmp_path / "gone.safetensors")


def test_the_same_seed_gives_the_same_weights(tiny_config):
    first, again, other = (random_weights(tiny_config, seed) for seed in (3, 3, 4))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert any(not np.array_equal(first[name], other[name]) for name in first)


def test_torchs_own_random_state_is_left_alone(tiny_config):
    before = torch.get_rng_state()
    random_weights(tiny_config, 0)
    assert torch.equal(before, torch.get_rng_state())


def test_weights_fill_a_network_without_weight_norm(tiny_config):
    weights = random_weights(tiny_config, 0)
    network = network_with(tiny_config, weights)
    assert set(network.state_dict()) == set(weights)
    assert not any("weight_g" in name for name in weights)
    for name, tensor in network.state_dict().items():
        np.testing.assert_array_equal(tensor, weights[name])


def test_folding_does_not_change_the_network(tiny_config):
    network = build_network(tiny_config)
    tokens, style = torch.tensor([[0, 3, 4, 0]]), torch.zeros(1, tiny_config.style_dim)
    arguments = (tokens, torch.tensor([4]), torch.zeros(1, 4, dtype=torch.bool))
    with torch.no_grad():
        before = network.text_encoder(*arguments), network.predictor.F0Ntrain(torch.ones(1, 40, 5), style)
        without_weight_norm(network)
        after = network.text_encoder(*arguments), network.predictor.F0Ntrain(torch.ones(1, 40, 5), style)
    torch.testing.assert_close(after, before)


def test_other_architectures_weights_are_refused(tiny_config):
    weights = random_weights(tiny_config, 0)
    weights.pop("bert_encoder.bias")
    with pytest.raises(RuntimeError, match=r"bert_encoder\.bias"):
        network_with(tiny_config, weights)


@pytest.mark.parametrize("seed", [0, 1])
def test_tokens_last_as_in_speech_and_pitch_varies(tiny_config, seed):
    runner = ExportableRunner(network_with(tiny_config, random_weights(tiny_config, seed)))
    values = all_values(tiny_config, runner, opening(tiny_config, [60]))
    lengths = durations(values["duration_logits"][0], speed=1.0)
    assert np.mean((lengths >= 2) & (lengths <= 4)) > 0.8
    assert 60 < values["f0"].mean() < 180
    assert values["f0"].std() > 10
    assert np.isfinite(values["audio"]).all()


def test_lstms_remember_for_some_steps(tiny_config):
    lstm = network_with(tiny_config, random_weights(tiny_config, 0)).text_encoder.lstm
    gates = (lstm.bias_ih_l0 + lstm.bias_hh_l0).reshape(4, -1).mean(dim=1)
    assert gates[1] == pytest.approx(1, abs=0.2)
    assert gates[[0, 2, 3]].abs().max() < 0.2
