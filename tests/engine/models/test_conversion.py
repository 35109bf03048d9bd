from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from onnx import numpy_helper
from safetensors.numpy import load_file, save_file

from engine.config import ModelConfig
from engine.errors import DamagedFile, StorageError, UnusableModel
from engine.models.catalog import catalog, entry_named
from engine.models.conversion import (
    VOICES_NAME,
    WEIGHTS_NAME,
    Conversion,
    Layout,
    convert,
    read_layout,
    read_quantized,
)
from engine.models.progress import ModelActivity
from engine.models.sources import shipped_file
from engine.network.published_checkpoint import expected_weights
from engine.network.weights import Weights
from engine.system.paths import resources_folder
from engine.system.remote import call
from tests.compact_model import CORRECTED
from tests.conftest import BUILD_FOLDER
from tests.engine.full_disk import full_disk
from tests.engine.models import without_pytorch
from tests.engine.models.published import CHECKPOINT_NAME, VOICE_NAMES, Published, voice_table
from tests.engine.models.quantized_export import HIDDEN, INPUTS, LSTM, SHAPES, Export, exported, torch_order


@pytest.fixture
def source(published: Published, tmp_path: Path) -> Path:
    return published.write(tmp_path / "source")


@pytest.fixture
def order(published: Published, source: Path, tmp_path: Path) -> Conversion:
    voices = {name: source / "voices" / f"{name}.pt" for name in VOICE_NAMES}
    (tmp_path / "out").mkdir()
    return Conversion(published.config, source / CHECKPOINT_NAME, voices, tmp_path / "out")


def ignore(activity: ModelActivity, done: int, total: int) -> None:
    """Ignore the report."""


def test_weights_and_voices_are_written_once_and_for_all(order: Conversion) -> None:
    seen: list[int] = []
    assert convert(order, lambda activity, done, total: seen.append(done)) == list(VOICE_NAMES)
    weights, voices = load_file(order.folder / WEIGHTS_NAME), load_file(order.folder / VOICES_NAME)
    assert not any("weight_g" in name or "module." in name for name in weights)
    assert all(np.array_equal(voices[name], voice_table(order.config, i)) for i, name in enumerate(VOICE_NAMES))
    assert seen == sorted(seen)
    assert seen[-1] == order.bytes


def test_voices_can_be_added_to_earlier_ones(order: Conversion, tmp_path: Path) -> None:
    save_file({"af_earlier": voice_table(order.config, 5)}, tmp_path / "earlier.safetensors")
    voices = {"af_heart": order.voices["af_heart"]}
    more = Conversion(order.config, None, voices, order.folder, tmp_path / "earlier.safetensors")
    assert convert(more, ignore) == ["af_earlier", "af_heart"]
    assert not (order.folder / WEIGHTS_NAME).exists()


def test_half_precision_voices_are_stored_in_full_precision(order: Conversion, tmp_path: Path) -> None:
    table = voice_table(order.config, 5).astype(np.float16)
    save_file({"af_earlier": table}, tmp_path / "half.safetensors")
    convert(Conversion(order.config, None, {}, order.folder, tmp_path / "half.safetensors"), ignore)
    kept = load_file(order.folder / VOICES_NAME)["af_earlier"]
    assert kept.dtype == np.float32
    assert np.array_equal(kept, table)


def test_a_quantized_checkpoint_is_read_by_its_table(order: Conversion, tmp_path: Path) -> None:
    made = exported()
    path, table = made.write(tmp_path)
    seen: list[int] = []
    convert(replace(order, checkpoint=path, layout=table), lambda activity, done, total: seen.append(done))
    assert load_file(order.folder / WEIGHTS_NAME).keys() == made.expected.keys()
    assert seen == sorted(seen)
    assert len(set(seen)) > len(made.expected) // 2  # reported for each stored weight, not only for the file


def test_a_quantized_checkpoint_with_the_programs_voices_needs_no_pytorch(order: Conversion, tmp_path: Path) -> None:
    path, table = exported().write(tmp_path)
    save_file({"af_earlier": voice_table(order.config, 5)}, tmp_path / "shipped.safetensors")
    compact = Conversion(order.config, path, {}, order.folder, tmp_path / "shipped.safetensors", table)
    assert call(without_pytorch.converted, compact) == ["af_earlier"]


def test_damaged_earlier_voices_are_reported(order: Conversion, tmp_path: Path) -> None:
    (tmp_path / "earlier.safetensors").write_bytes(b"x")
    with pytest.raises(UnusableModel, match="are damaged"):
        convert(Conversion(order.config, None, {}, order.folder, tmp_path / "earlier.safetensors"), ignore)


def test_a_full_disk_is_reported(order: Conversion) -> None:
    with full_disk(100_000), pytest.raises(StorageError, match=r"be written to.*Free up some space"):
        convert(order, ignore)


PUBLISHED = BUILD_FOLDER / "kokoro-82m-8bit.onnx"
PUBLISHED_FILE_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
PUBLISHED_WEIGHTS_SHA256 = "64a70d3a61489aad8b95bbc7dbc5ea5b8299a1bec78a7426232442fbc1e18135"


@pytest.fixture
def export() -> Export:
    return exported()


@pytest.fixture
def read(export: Export, tmp_path: Path) -> Callable[[], Weights]:
    """Return a function that reads the weights of the file in its current state."""

    def read() -> Weights:
        model, table = export.write(tmp_path)
        return read_quantized(model, read_layout(table))

    return read


@pytest.fixture(scope="module")
def shipped() -> Layout:
    """The table of the published file."""
    entry = entry_named("kokoro-82m-8bit", catalog())
    path = shipped_file(entry, entry.layout_file)
    assert path is not None
    return read_layout(path)


def test_every_kind_of_weight_is_found(export: Export, read: Callable[[], Weights]) -> None:
    weights = read()
    assert list(weights) == list(SHAPES)
    assert weights.keys() == export.expected.keys()
    for key, array in weights.items():
        assert array.dtype == np.float32, key
        assert array.flags.c_contiguous, key
        np.testing.assert_allclose(array, export.expected[key], rtol=1e-6, err_msg=key)


def test_scales_of_an_lstm_may_be_for_each_row(export: Export, read: Callable[[], Weights]) -> None:
    factors = np.arange(1, 1 + 4 * HIDDEN, dtype=np.float32)
    for tensor in export.tensors:
        if tensor.name == "lstm_hh_scale":
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[:, None] * factors, tensor.name))
    key = f"{LSTM}.weight_hh_l0_reverse"
    expected = export.expected[key] * torch_order(factors)[:, None]
    np.testing.assert_allclose(read()[key], expected, rtol=1e-6)


def test_the_gates_of_an_lstm_are_pytorchs(export: Export, read: Callable[[], Weights]) -> None:
    """One step from zero: only a cell of the right gates computes o * tanh(i * g)."""
    weights = read()
    lstm = torch.nn.LSTM(INPUTS, HIDDEN, bidirectional=True)
    lstm.load_state_dict({key.rpartition(".")[2]: torch.from_numpy(w) for key, w in weights.items() if LSTM in key})
    raw = {tensor.name: numpy_helper.to_array(tensor) for tensor in export.tensors}
    x = export.floats(INPUTS) / 100
    bias = raw["lstm_bias"][0, : 4 * HIDDEN] + raw["lstm_bias"][0, 4 * HIDDEN :]
    gates = x @ (raw["lstm_ih"][0] * raw["lstm_ih_scale"][0]) + bias
    i, o, _, c = np.split(gates, 4)
    expected = sigmoid(o) * np.tanh(sigmoid(i) * np.tanh(c))
    with torch.no_grad():
        ours = lstm(torch.from_numpy(x)[None])[0][0, :HIDDEN].numpy()
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-6)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_a_truncated_file_is_reported(export: Export, tmp_path: Path, kept: float) -> None:
    model, table = export.write(tmp_path)
    content = model.read_bytes()
    model.write_bytes(content[: round(kept * len(content))])
    with pytest.raises(UnusableModel, match=r"m\.onnx is empty or incomplete"):
        read_quantized(model, read_layout(table))


@pytest.mark.parametrize("content", [None, b"", b"name,shape\na,1\n", b"\xff", b"x" * 200_000])
def test_a_damaged_layout_table_is_reported(tmp_path: Path, content: bytes | None) -> None:
    table = tmp_path / "table.csv"
    if content is not None:
        table.write_bytes(content)
    with pytest.raises(DamagedFile, match=r"table\.csv .*be read.*Reinstall"):
        read_layout(table)


def test_the_table_has_the_weights_of_the_architecture(shipped: Layout) -> None:
    config = ModelConfig.load(resources_folder() / "kokoro-82m" / "config.json")
    assert {tensor.name: tensor.shape for tensor in shipped} == expected_weights(config)[0]


def test_corrections_are_of_weights_that_are_integers_in_the_file(shipped: Layout) -> None:
    entry = entry_named("kokoro-82m-8bit", catalog())
    path = shipped_file(entry, entry.corrections_file)
    assert path is not None
    stored = {tensor.name: tensor for tensor in shipped}
    corrections = load_file(path)
    assert set(corrections) == set(CORRECTED)
    for name, array in corrections.items():
        assert (array.dtype, array.shape, stored[name].scales > 0) == (np.float16, stored[name].shape, True)
        assert np.isfinite(array).all()


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"the published file is not at {PUBLISHED.name} of the build folder")
def test_the_published_file_gives_the_weights_that_were_compared_with_the_original(shipped: Layout) -> None:
    """Each was within 0.52 of its quantization step of the original's in half precision when this digest was taken."""
    assert hashlib.sha256(PUBLISHED.read_bytes()).hexdigest() == PUBLISHED_FILE_SHA256
    digest = hashlib.sha256()
    for key, array in sorted(read_quantized(PUBLISHED, shipped).items()):
        digest.update(key.encode() + array.tobytes())
    assert digest.hexdigest() == PUBLISHED_WEIGHTS_SHA256
