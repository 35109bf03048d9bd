"""The reader against the `onnx` package; what it refuses, it refuses with `UnusableModel`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from onnx import TensorProto, helper, numpy_helper

from engine.errors import UnusableModel
from engine.model_store.onnx_file import Graph, parse_graph, read_graph

DTYPES = (np.float32, np.uint8, np.int8, np.int32, np.int64)
NAMES = st.text(st.characters(exclude_categories=("C", "Z")), max_size=12)


@st.composite
def tensors(draw: st.DrawFn, name: str) -> TensorProto:
    """A tensor of any shape, its elements raw or in the field of their type."""
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=3, max_side=4))
    array = draw(arrays.arrays(draw(st.sampled_from(DTYPES)), shape))
    if draw(st.booleans()):
        return numpy_helper.from_array(array, name)
    return helper.make_tensor(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape, array.ravel().tolist())


@st.composite
def models(draw: st.DrawFn) -> onnx.ModelProto:
    """A graph of a few nodes, with attributes and descriptions that are not read."""
    initializers = [draw(tensors(name)) for name in draw(st.lists(NAMES, max_size=4, unique=True))]
    nodes = [
        helper.make_node(
            draw(NAMES), draw(st.lists(NAMES, max_size=3)), draw(st.lists(NAMES, max_size=3)), name, axis=1
        )
        for name in draw(st.lists(NAMES, max_size=4))
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])]
    graph = helper.make_graph(nodes, "graph", inputs, [], initializers, doc_string="words")
    return helper.make_model(graph, producer_name="test", ir_version=9)


def parsed(content: bytes) -> Graph:
    return parse_graph(memoryview(content), "m.onnx")


@given(models())
def test_nodes_and_tensors_are_those_of_the_onnx_package(model: onnx.ModelProto) -> None:
    graph = parsed(model.SerializeToString())
    nodes = [(node.name, node.op_type, tuple(node.input), tuple(node.output)) for node in model.graph.node]
    assert [(node.name, node.operator, node.inputs, node.outputs) for node in graph.nodes] == nodes
    assert list(graph.initializers) == [tensor.name for tensor in model.graph.initializer]
    for tensor in model.graph.initializer:
        array, expected = graph.initializers[tensor.name], numpy_helper.to_array(tensor)
        assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(array, expected)


@given(models(), st.data())
def test_a_file_that_was_cut_is_refused(model: onnx.ModelProto, data: st.DataObject) -> None:
    content = field(7, model.graph.SerializeToString())
    parsed(content)
    with pytest.raises(UnusableModel, match=r"^m\.onnx is damaged"):
        parsed(content[: data.draw(st.integers(0, len(content) - 1))])


@settings(max_examples=300)
@given(models(), st.data())
def test_nothing_but_unusable_model_comes_from_flipped_bits(model: onnx.ModelProto, data: st.DataObject) -> None:
    content = bytearray(model.SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    parsed_or_refused(bytes(content))


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_nothing_but_unusable_model_comes_from_any_bytes(content: bytes) -> None:
    parsed_or_refused(content)
    parsed_or_refused(field(7, content))
    parsed_or_refused(field(7, field(5, content)))


def parsed_or_refused(content: bytes) -> None:
    with suppress(UnusableModel):
        graph = parsed(content)
        assert sum(array.nbytes for array in graph.initializers.values()) <= 8 * len(content)


def field(number: int, content: bytes) -> bytes:
    """A field of bytes, as it stands in a protocol buffer."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(integer: int) -> bytes:
    low, rest = integer & 0x7F, integer >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def with_tensor(**fields: Any) -> bytes:
    """A model of one tensor of two float32 numbers, with these fields changed."""
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], raw_data=bytes(8))
    for name, value in fields.items():
        tensor.ClearField(name)
        if isinstance(value, list):
            getattr(tensor, name).extend(value)
        else:
            setattr(tensor, name, value)
    return onnx.ModelProto(graph=onnx.GraphProto(initializer=[tensor])).SerializeToString()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"dims": [3]}, "another size"),
        ({"dims": []}, "another size"),
        ({"dims": [1 << 31]}, "no usable shape"),
        ({"dims": [0]}, "no usable shape"),
        ({"dims": [-2]}, "no usable shape"),
        ({"dims": [1] * 9}, "no usable shape"),
        ({"dims": [(1 << 31) - 1] * 8}, "another size"),
        ({"data_type": TensorProto.DOUBLE}, "type"),
        ({"raw_data": bytes(7)}, "incomplete"),
        ({"raw_data": b""}, "incomplete"),
        ({"float_data": [1.0, 2.0]}, "twice"),
        ({"raw_data": b"", "data_type": TensorProto.INT64}, "incomplete"),
        ({"data_location": TensorProto.EXTERNAL}, "not whole"),
        ({"name": "w\n"}, "not printable"),
        ({"name": "w" * 2000}, "too long"),
    ],
)  # fmt: skip
def test_a_tensor_that_does_not_fit_its_description_is_refused(fields: dict[str, Any], reason: str) -> None:
    parsed(with_tensor())
    with pytest.raises(UnusableModel, match=reason):
        parsed(with_tensor(**fields))


@pytest.mark.parametrize("integers", [[1, 128], [-129, 0], [1 << 30, 0]])
def test_integers_that_exceed_their_type_are_refused(integers: list[int]) -> None:
    tensor = TensorProto(name="w", data_type=TensorProto.INT8, dims=[2], int32_data=integers)
    content = onnx.ModelProto(graph=onnx.GraphProto(initializer=[tensor])).SerializeToString()
    with pytest.raises(UnusableModel, match="do not fit their type"):
        parsed(content)


def test_two_tensors_of_one_name_are_refused() -> None:
    content = onnx.ModelProto.FromString(with_tensor())
    content.graph.initializer.append(content.graph.initializer[0])
    with pytest.raises(UnusableModel, match="two tensors are named w"):
        parsed(content.SerializeToString())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "0 instead of one graph"),
        (field(7, b"") * 2, "2 instead of one graph"),
        (varint(7 << 3) + b"\1", "field 7 is a number"),
        (varint(7 << 3 | 3), "wire type 3"),
        (varint(7 << 3 | 2) + varint(1 << 62) + b"x", "middle of a field"),
        (b"\xff" * 11, "too long"),
        (field(7, field(15, b"")), "sparse"),
        (field(7, varint(3 << 3) + b"\1") + varint(1 << 3 | 5) + bytes(3), "middle of a field"),
        (field(7, field(1, field(1, b"\xff"))), "not text"),
        (field(7, field(1, field(1, b"x") * 1001)), "more than 1000 fields"),
        (field(7, field(1, b"") * 100_001), "more than 100000 fields"),
        (field(7, field(5, b"") * 2001), "more tensors"),
        (field(7, field(1, bytes(9 << 20))), "nodes are larger"),
        (field(7, field(5, field(7, bytes(9 << 10)) + varint(2 << 3) + b"\7")), "list of integers"),
    ],
)  # fmt: skip
def test_malformed_and_inflated_files_are_refused(content: bytes, reason: str) -> None:
    with pytest.raises(UnusableModel, match=reason):
        parsed(content)


def test_a_file_is_read_and_its_tensors_stay_readable(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(with_tensor(raw_data=np.array([1, 2], "<f4").tobytes()))
    array = read_graph(tmp_path / "m.onnx").initializers["w"]
    assert array.tolist() == [1, 2]
    assert not array.flags.writeable
    assert not array.flags.owndata


@pytest.mark.parametrize("name", ["empty.onnx", "missing.onnx", "."])
def test_a_file_that_cannot_be_read_is_said(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty.onnx").touch()
    with pytest.raises(UnusableModel, match="is empty or cannot be read"):
        read_graph(tmp_path / name)
