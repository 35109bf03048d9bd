"""Weights from a small graph that is made here, and from the published file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from engine.config import ModelConfig
from engine.errors import UnusableModel
from engine.model_store.onnx_file import parse_graph
from engine.model_store.quantised_weights import quantised_weights, read_quantised
from engine.network.architecture import build_network
from engine.network.random_weights import without_weight_norm
from engine.system.paths import resources_folder
from tests.conftest import BUILD_FOLDER
from tests.engine.model_store.quantised_export import HIDDEN, INPUTS, LSTM, SHAPES, Export, exported, torch_order

PUBLISHED = BUILD_FOLDER / "kokoro-82m-8bit.onnx"
PUBLISHED_FILE_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
PUBLISHED_WEIGHTS_SHA256 = "64a70d3a61489aad8b95bbc7dbc5ea5b8299a1bec78a7426232442fbc1e18135"


@pytest.fixture
def export() -> Export:
    return exported()


@pytest.fixture(scope="module")
def content() -> bytes:
    return exported().content()


def test_every_kind_of_weight_is_found(export: Export) -> None:
    weights = quantised_weights(export.graph(), SHAPES)
    assert list(weights) == list(SHAPES)
    assert weights.keys() == export.expected.keys()
    for key, array in weights.items():
        assert array.dtype == np.float32, key
        assert array.flags.c_contiguous, key
        np.testing.assert_allclose(array, export.expected[key], rtol=1e-6, err_msg=key)


def test_scales_of_an_lstm_may_be_for_each_row(export: Export) -> None:
    factors = np.arange(1, 1 + 4 * HIDDEN, dtype=np.float32)
    for tensor in export.tensors:
        if tensor.name == "lstm_hh_scale":
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[:, None] * factors, tensor.name))
    key = f"{LSTM}.weight_hh_l0_reverse"
    expected = export.expected[key] * torch_order(factors)[:, None]
    np.testing.assert_allclose(quantised_weights(export.graph(), SHAPES)[key], expected, rtol=1e-6)


def test_the_gates_of_an_lstm_are_pytorchs(export: Export) -> None:
    """One step from zero: only a cell of the right gates computes o * tanh(i * g)."""
    weights = quantised_weights(export.graph(), SHAPES)
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


def without(name: str) -> Callable[[Export], None]:
    """The change that takes away all nodes and tensors whose names have this in them."""

    def change(made: Export) -> None:
        made.nodes = [node for node in made.nodes if name not in node.name]
        made.tensors = [tensor for tensor in made.tensors if name not in tensor.name]

    return change


def with_tensor(name: str, values: np.ndarray) -> Callable[[Export], None]:
    """The change that adds this tensor, or puts it in place of the one of its name."""

    def change(made: Export) -> None:
        made.tensors = [tensor for tensor in made.tensors if tensor.name != name]
        made.constant(name, values)

    return change


def with_node(operator: str, name: str, *inputs: str) -> Callable[[Export], None]:
    return lambda made: made.nodes.append(helper.make_node(operator, inputs, [f"{name} written"], name))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (without("alpha1"), "lacks decoder.generator.resblocks.0.alpha1.0"),
        (without("LSTM"), "lacks predictor.text_encoder.lstms.0.weight_ih_l0"),
        (without("lstm_zero"), "is not a constant"),
        (without("Gather_quant"), "lacks bert.embeddings.word_embeddings.weight"),
        (without("query/MatMul_cast"), "read by 0 nodes"),
        (without("query/MatMul_scales"), "nothing writes"),
        (with_tensor("table", np.zeros((7, 5), np.int8)), r"is \[7, 5\] instead of \[7, 4\]"),
        (with_tensor("table_scale", np.array(np.nan, np.float32)), "not finite"),
        (with_tensor("table_scale", np.array(3e38, np.float32)), "not finite"),
        (with_tensor("table_scale", np.zeros(4, np.float32)), "a scale or zero point"),
        (with_tensor("a", np.zeros((4, 2, 6), np.int64)), "stored as int64"),
        (with_tensor("table", np.zeros((7, 4), np.float32)), "stored as float32"),
        (with_tensor("lstm_bias", np.zeros(3, np.float32)), "not an LSTM of two directions"),
        (with_tensor("lstm_hh_scale", np.array(1, np.float32)), "not an LSTM of two directions"),
        (with_tensor("lstm_ih", np.zeros((2, 5, 11), np.int8)), "different sizes"),
        (with_tensor("encoder.decoder.asr_res.0.weight", np.zeros((2, 3, 1), np.float32)), "stored twice"),
        (with_node("Conv", "/encoder/predictor/text_encoder/lstms.0/Conv", "x", "a"), "is not a weight of it"),
        (with_node("Conv", "/encoder/bert/pooler/Conv"), "is not a constant"),
        (with_node("DequantizeLinear", "/encoder/bert/pooler/D"), "reads no table"),
    ],
)  # fmt: skip
def test_a_graph_of_another_network_is_refused(export: Export, change: Callable[[Export], None], reason: str) -> None:
    change(export)
    with pytest.raises(UnusableModel, match=rf"^m\.onnx is not an 8-bit file of this model: .*{reason}"):
        quantised_weights(export.graph(), SHAPES)


@settings(max_examples=300)
@given(st.data())
def test_nothing_but_unusable_model_comes_from_flipped_bits(content: bytes, data: st.DataObject) -> None:
    flipped = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        flipped[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with suppress(UnusableModel):
        quantised_weights(parse_graph(memoryview(bytes(flipped)), "m.onnx"), SHAPES)


@settings(max_examples=300)
@given(st.data())
def test_nothing_but_unusable_model_comes_from_other_wiring(data: st.DataObject) -> None:
    """Nodes read each other's inputs, or are other operators, and tensors have other shapes."""
    made = exported()
    node = data.draw(st.sampled_from(made.nodes))
    names = [name for other in made.nodes for name in (*other.input, *other.output)]
    node.input[:] = data.draw(st.lists(st.sampled_from(names), max_size=12))
    node.op_type = data.draw(st.sampled_from([node.op_type, *sorted({other.op_type for other in made.nodes})]))
    tensor = data.draw(st.sampled_from(made.tensors))
    array = numpy_helper.to_array(tensor)
    shape = data.draw(st.sampled_from([(), (1, *array.shape), array.shape[1:], array.shape[::-1]]))
    tensor.CopyFrom(numpy_helper.from_array(np.resize(array, shape), tensor.name))
    with suppress(UnusableModel):
        quantised_weights(made.graph(), SHAPES)


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"the published file is not at {PUBLISHED.name} of the build folder")
def test_the_published_file_gives_the_weights_that_were_compared_with_the_original() -> None:
    """Each was within 0.52 of its quantisation step of the original's in half precision when this digest was taken."""
    assert hashlib.sha256(PUBLISHED.read_bytes()).hexdigest() == PUBLISHED_FILE_SHA256
    with torch.device("meta"):
        network = without_weight_norm(
            build_network(ModelConfig.load(resources_folder() / "kokoro-82m" / "config.json"))
        )
    weights = read_quantised(PUBLISHED, {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()})
    digest = hashlib.sha256()
    for key, array in sorted(weights.items()):
        digest.update(key.encode() + array.tobytes())
    assert digest.hexdigest() == PUBLISHED_WEIGHTS_SHA256
