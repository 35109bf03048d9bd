import io
import os
import pickle
import zipfile
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
from engine.network.torch_files import read_torch_file
from engine.network.weights import Weights
from tests.engine.models.published import published_state, voice_table

State = dict[str, dict[str, torch.Tensor]]


@pytest.fixture(scope="module")
def state(tiny_config: ModelConfig) -> State:
    return published_state(tiny_config)


@pytest.fixture(scope="module")
def expected(tiny_config: ModelConfig, state: State) -> Weights:
    """The weights that kokoro's own loading reads from the checkpoint, weight norm folded in by torch."""
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


def test_the_published_layout_is_read_as_kokoro_reads_it(tmp_path, tiny_config, state, expected):
    weights = read_checkpoint(saved(state, tmp_path / "a.pth"), tiny_config)
    assert_equal(weights, expected)
    network_with(tiny_config, weights)


def test_it_has_no_affine_parameters_of_instance_norms(state):
    assert not any(".norm1.norm." in name for name in state["decoder"])


def test_flat_keys_in_safetensors_are_read_too(tmp_path, tiny_config, state, expected):
    flat = {f"{part}.{name}": value.clone() for part, values in state.items() for name, value in values.items()}
    save_file(flat, tmp_path / "a.safetensors")
    assert_equal(read_checkpoint(tmp_path / "a.safetensors", tiny_config), expected)


def test_a_converted_checkpoint_can_be_imported_again(tmp_path, tiny_config, expected):
    save_file({name: torch.from_numpy(array) for name, array in expected.items()}, tmp_path / "a.safetensors")
    assert_equal(read_checkpoint(tmp_path / "a.safetensors", tiny_config), expected)


def test_half_precision_is_widened_and_other_values_are_left(tmp_path, tiny_config, state, expected):
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
        ("bert_encoder", "module.bias", torch.full((32,), torch.nan), "finite"),
        ("bert_encoder", "module.bias", torch.zeros(32, dtype=torch.int64), "int64"),
        ("bert_encoder", "module.bias", torch.zeros(32).to_sparse(), "bert_encoder"),
        ("decoder", "module.encode.conv1.weight_g", torch.ones(3, 1, 1), "belong together"),
    ],
)
def test_mismatched_weights_are_named(tmp_path, tiny_config, state, part, name, value, words):
    path = saved(changed(state, part, name, value), tmp_path / "a.pth")
    with pytest.raises(UnusableModel, match=rf"a\.pth .*: .*{words}.*Choose"):
        read_checkpoint(path, tiny_config)


@pytest.mark.parametrize("value", [torch.zeros(3), [1, 2], {}, {"bert": {}}, "words"])
def test_a_file_without_a_checkpoint_is_refused(tmp_path, tiny_config, value):
    with pytest.raises(UnusableModel, match="a checkpoint"):
        read_checkpoint(saved(value, tmp_path / "a.pth"), tiny_config)


def test_a_damaged_safetensors_file_is_refused(tmp_path, tiny_config):
    (tmp_path / "a.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0{}")
    with pytest.raises(UnusableModel, match="incomplete or damaged"):
        read_checkpoint(tmp_path / "a.safetensors", tiny_config)


def test_voices_are_read_from_both_formats(tmp_path, tiny_config):
    table = voice_table(tiny_config, 1)
    saved(torch.from_numpy(table), tmp_path / "v.pt")
    table.tofile(tmp_path / "v.bin")
    assert np.array_equal(read_voice(tmp_path / "v.pt", tiny_config), table)
    assert np.array_equal(read_voice(tmp_path / "v.bin", tiny_config), table)


@pytest.mark.parametrize(
    "shape", [(61, 1, 16), (65, 1, 16), (62, 16), (62, 2, 16), (62, 1, 15), (62, 1, 17), (0,), (), (1, 1, 16)]
)
@pytest.mark.parametrize("suffix", [".pt", ".bin"])
def test_voices_of_a_different_shape_are_refused(tmp_path, tiny_config, shape, suffix):
    if suffix == ".bin" and np.prod(shape) == 62 * 16:
        return  # the bytes of a right one
    path = tmp_path / f"v{suffix}"
    np.zeros(shape, np.float32).tofile(path) if suffix == ".bin" else saved(torch.zeros(shape), path)
    with pytest.raises(UnusableModel, match=r"a voice of this model: its shape is .* instead of \[62, 1, 16\]"):
        read_voice(path, tiny_config)


def test_voices_that_are_no_voices_are_refused(tmp_path, tiny_config):
    with pytest.raises(UnusableModel, match="a table of numbers"):
        read_voice(saved({"a": 1}, tmp_path / "v.pt"), tiny_config)
    with pytest.raises(UnusableModel, match="its shape is"):
        read_voice(saved(torch.zeros(1).expand(10**12), tmp_path / "v.pt"), tiny_config)
    table = voice_table(tiny_config, 1)
    table[3, 0, 5] = np.inf
    table.tofile(tmp_path / "v.bin")
    with pytest.raises(UnusableModel, match="finite"):
        read_voice(tmp_path / "v.bin", tiny_config)
    (tmp_path / "v.bin").write_bytes(table.tobytes()[:-2])
    with pytest.raises(UnusableModel, match="its shape is"):
        read_voice(tmp_path / "v.bin", tiny_config)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "weights.pth"


def rezipped(source: Path, target: Path, change: Any = None, compression: int = zipfile.ZIP_STORED) -> None:
    """The same archive with other contents, or compressed."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", compression) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(name, content) if change else content)


def test_tensors_come_back(path):
    torch.save({"a": {"b": torch.arange(6.0).reshape(2, 3)}}, path)
    assert torch.equal(read_torch_file(path)["a"]["b"], torch.arange(6.0).reshape(2, 3))


class Harmful:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.folder),)


def test_code_in_a_file_is_not_run_but_told(path, tmp_path):
    torch.save({"a": torch.ones(2), "b": Harmful(tmp_path / "made")}, path)
    with pytest.raises(UnusableModel, match=r"holds program code.*source that you trust"):
        read_torch_file(path)
    assert not (tmp_path / "made").exists()


def test_a_bare_pickle_is_not_even_opened(path, tmp_path):
    path.write_bytes(pickle.dumps(Harmful(tmp_path / "made")))
    with pytest.raises(UnusableModel, match="not saved by PyTorch"):
        read_torch_file(path)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_is_incomplete(path, share):
    torch.save({"a": torch.ones(1000)}, path)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UnusableModel, match=r"incomplete.*Get the file again"):
        read_torch_file(path)


def test_a_changed_bit_is_found(path):
    torch.save({"a": torch.ones(1000)}, path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(UnusableModel, match="damaged"):
        read_torch_file(path)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(path, tmp_path):
    torch.save({"a": torch.zeros(1_000_000)}, tmp_path / "plain.pth")
    rezipped(tmp_path / "plain.pth", path, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(UnusableModel, match="larger unpacked"):
        read_torch_file(path)


def test_entries_that_share_their_bytes_are_refused(path):
    """Many entries of the directory point at the same content."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x/data.pkl", b"0" * 10_000)
        first = archive.infolist()[0]
        archive.filelist.extend([first] * 50)
    with pytest.raises(UnusableModel, match="larger unpacked"):
        read_torch_file(path)


def test_a_zip_of_something_else_is_refused(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letter.txt", "hello")
    with pytest.raises(UnusableModel, match="a file of tensors"):
        read_torch_file(path)


def test_a_huge_description_is_refused(path, tmp_path):
    torch.save({"a": torch.ones(2)}, tmp_path / "plain.pth")
    rezipped(tmp_path / "plain.pth", path, lambda name, content: b"0" * 5_000_000 if "pkl" in name else content)
    with pytest.raises(UnusableModel, match="a file of tensors"):
        read_torch_file(path)


@pytest.mark.parametrize("content", [b"", b"(", b"\x80\x02}q\x00(X", b"garbage" * 100])
def test_a_broken_description_is_no_traceback(path, tmp_path, content):
    torch.save({"a": torch.ones(2)}, tmp_path / "plain.pth")
    rezipped(tmp_path / "plain.pth", path, lambda name, old: content if name.endswith("data.pkl") else old)
    with pytest.raises(UnusableModel, match=r"damaged|program code"):
        read_torch_file(path)


def test_a_file_in_the_old_format_is_reported(path):
    buffer = io.BytesIO()
    torch.save({"a": torch.ones(2)}, buffer, _use_new_zipfile_serialization=False)
    path.write_bytes(buffer.getvalue())
    with pytest.raises(UnusableModel, match=r"PyTorch 1\.6"):
        read_torch_file(path)
