from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from engine.config import ModelConfig
from engine.errors import UnusableModel
from engine.network.architecture import build_network
from engine.network.published_checkpoint import read_checkpoint, read_voice
from engine.network.random_weights import network_with, without_weight_norm
from engine.network.weights import Weights
from tests.engine.models.published import published_state, voice_table

State = dict[str, dict[str, torch.Tensor]]


@pytest.fixture(scope="module")
def state(tiny_config: ModelConfig) -> State:
    return published_state(tiny_config)


@pytest.fixture(scope="module")
def expected(tiny_config: ModelConfig, state: State) -> Weights:
    """What kokoro's own loading makes of the checkpoint, weight norm folded in by torch."""
    network = build_network(tiny_config)
    for part, values in state.items():
        stripped = {name.removeprefix("module."): value for name, value in values.items()}
        getattr(network, part).load_state_dict(stripped, strict=False)
    return {name: value.numpy() for name, value in without_weight_norm(network).state_dict().items()}


def saved(value: Any, path: Path) -> Path:
    torch.save(value, path)
    return path


def assert_equal(weights: Weights, expected: Weights) -> None:
    assert set(weights) == set(expected)
    for name, array in expected.items():
        np.testing.assert_allclose(weights[name], array, rtol=1e-5, atol=1e-7, err_msg=name)


def test_the_published_layout_is_read_as_kokoro_reads_it(
    tmp_path: Path, tiny_config: ModelConfig, state: State, expected: Weights
) -> None:
    weights = read_checkpoint(saved(state, tmp_path / "a.pth"), tiny_config)
    assert_equal(weights, expected)
    network_with(tiny_config, weights)


def test_it_has_no_affine_parameters_of_instance_norms(state: State) -> None:
    assert not any(".norm1.norm." in name for name in state["decoder"])


def test_flat_keys_in_safetensors_are_read_too(
    tmp_path: Path, tiny_config: ModelConfig, state: State, expected: Weights
) -> None:
    flat = {f"{part}.{name}": value.clone() for part, values in state.items() for name, value in values.items()}
    save_file(flat, tmp_path / "a.safetensors")
    assert_equal(read_checkpoint(tmp_path / "a.safetensors", tiny_config), expected)


def test_what_was_converted_can_be_imported_again(tmp_path: Path, tiny_config: ModelConfig, expected: Weights) -> None:
    save_file({name: torch.from_numpy(array) for name, array in expected.items()}, tmp_path / "a.safetensors")
    assert_equal(read_checkpoint(tmp_path / "a.safetensors", tiny_config), expected)


def test_half_precision_is_widened_and_other_values_are_left(
    tmp_path: Path, tiny_config: ModelConfig, state: State, expected: Weights
) -> None:
    halves: dict[str, Any] = {
        part: {name: value.half() for name, value in values.items()} for part, values in state.items()
    }
    halves["bert"]["module.embeddings.position_ids"] = torch.arange(64)
    halves["step"] = 7
    weights = read_checkpoint(saved(halves, tmp_path / "a.pth"), tiny_config)
    assert all(array.dtype == np.float32 for array in weights.values())
    name = "bert_encoder.weight"
    np.testing.assert_allclose(weights[name], expected[name], atol=1e-3)


def changed(state: State, part: str, name: str, value: torch.Tensor | None) -> State:
    values = {**state[part]}
    if value is None:
        del values[name]
    else:
        values[name] = value
    return {**state, part: values}


@pytest.mark.parametrize(
    ("part", "name", "value", "words"),
    [
        ("bert_encoder", "module.bias", None, r"no bert_encoder\.bias"),
        ("decoder", "module.encode.conv1.weight_v", None, "belong together"),
        ("decoder", "module.encode.conv1.weight_g", None, "lacks|no decoder"),
        ("bert_encoder", "module.bias", torch.zeros(31), r"\[31\] instead of \[32\]"),
        ("bert_encoder", "module.bias", torch.zeros(33), r"\[33\]"),
        ("bert_encoder", "module.bias", torch.zeros(1).expand(10**12), r"\[1000000000000\]"),
        ("bert_encoder", "module.bias", torch.full((32,), torch.nan), "not finite"),
        ("bert_encoder", "module.bias", torch.zeros(32, dtype=torch.int64), "int64"),
        ("bert_encoder", "module.bias", torch.zeros(32).to_sparse(), "bert_encoder"),
        ("decoder", "module.encode.conv1.weight_g", torch.ones(3, 1, 1), "belong together"),
    ],
)
def test_what_does_not_fit_is_named(
    tmp_path: Path, tiny_config: ModelConfig, state: State, part: str, name: str, value: torch.Tensor, words: str
) -> None:
    path = saved(changed(state, part, name, value), tmp_path / "a.pth")
    with pytest.raises(UnusableModel, match=rf"a\.pth is not a checkpoint of this model: .*{words}.*Choose"):
        read_checkpoint(path, tiny_config)


@pytest.mark.parametrize("value", [torch.zeros(3), [1, 2], {}, {"bert": {}}, "words"])
def test_what_is_no_checkpoint_is_refused(tmp_path: Path, tiny_config: ModelConfig, value: Any) -> None:
    with pytest.raises(UnusableModel, match="not a checkpoint of this model"):
        read_checkpoint(saved(value, tmp_path / "a.pth"), tiny_config)


def test_a_damaged_safetensors_file_is_refused(tmp_path: Path, tiny_config: ModelConfig) -> None:
    (tmp_path / "a.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0{}")
    with pytest.raises(UnusableModel, match="incomplete or damaged"):
        read_checkpoint(tmp_path / "a.safetensors", tiny_config)


def test_voices_are_read_from_both_formats(tmp_path: Path, tiny_config: ModelConfig) -> None:
    table = voice_table(tiny_config, 1)
    saved(torch.from_numpy(table), tmp_path / "v.pt")
    table.tofile(tmp_path / "v.bin")
    assert np.array_equal(read_voice(tmp_path / "v.pt", tiny_config), table)
    assert np.array_equal(read_voice(tmp_path / "v.bin", tiny_config), table)


@pytest.mark.parametrize(
    "shape", [(61, 1, 16), (65, 1, 16), (62, 16), (62, 2, 16), (62, 1, 15), (62, 1, 17), (0,), (), (1, 1, 16)]
)
@pytest.mark.parametrize("suffix", [".pt", ".bin"])
def test_voices_of_another_shape_are_refused(
    tmp_path: Path, tiny_config: ModelConfig, shape: tuple[int, ...], suffix: str
) -> None:
    if suffix == ".bin" and np.prod(shape) == 62 * 16:
        return  # the bytes of a right one
    path = tmp_path / f"v{suffix}"
    np.zeros(shape, np.float32).tofile(path) if suffix == ".bin" else saved(torch.zeros(shape), path)
    with pytest.raises(UnusableModel, match=r"not a voice of this model: its shape is .* instead of \[62, 1, 16\]"):
        read_voice(path, tiny_config)


def test_voices_that_are_no_voices_are_refused(tmp_path: Path, tiny_config: ModelConfig) -> None:
    with pytest.raises(UnusableModel, match="not a table of numbers"):
        read_voice(saved({"a": 1}, tmp_path / "v.pt"), tiny_config)
    with pytest.raises(UnusableModel, match="its shape is"):
        read_voice(saved(torch.zeros(1).expand(10**12), tmp_path / "v.pt"), tiny_config)
    table = voice_table(tiny_config, 1)
    table[3, 0, 5] = np.inf
    table.tofile(tmp_path / "v.bin")
    with pytest.raises(UnusableModel, match="not finite"):
        read_voice(tmp_path / "v.bin", tiny_config)
    (tmp_path / "v.bin").write_bytes(table.tobytes()[:-2])
    with pytest.raises(UnusableModel, match="its shape is"):
        read_voice(tmp_path / "v.bin", tiny_config)
