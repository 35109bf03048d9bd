"""The graph of an ONNX file: its nodes and its constant tensors, read without running anything.

A file is a protocol buffer (protobuf.dev/programming-guides/encoding), and the field numbers are those of `onnx.proto`.
Only what weights are found by is read: no attributes, no subgraphs, no sparse tensors and no tensors in other files.
Tensors stay in the file until they are used.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import UnusableModel
from engine.speech import Array

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_BYTES = {_FIXED64: 8, _FIXED32: 4}
_VARINT_BITS = 64
_MODEL_GRAPH = 7
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_SPARSE_INITIALIZER = 1, 5, 15
_NODE_INPUT, _NODE_OUTPUT, _NODE_NAME, _NODE_OPERATOR = 1, 2, 3, 4
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_SEGMENT, _TENSOR_NAME, _TENSOR_RAW = 1, 2, 3, 8, 9
_TENSOR_EXTERNAL, _TENSOR_LOCATION = 13, 14
_TYPES: Mapping[int, np.dtype[Any]] = {
    1: np.dtype("<f4"),
    2: np.dtype("u1"),
    3: np.dtype("i1"),
    6: np.dtype("<i4"),
    7: np.dtype("<i8"),
}
"""Of TensorProto's element types, those of weights quantised to 8 bits and of the shapes between them."""
_TYPED_FIELDS = {1: 4, 2: 5, 3: 5, 6: 5, 7: 7}
"""Where a tensor's elements are if they are not raw: `float_data`, `int32_data` or `int64_data`."""
_GRAPH_FIELDS_LIMIT = 100_000
"""Kokoro's graph has 8,400."""
_FIELDS_LIMIT = 1_000
"""Of any other message; Kokoro's nodes have up to 20."""
_NODES_LIMIT_BYTES = 8 << 20
"""Kokoro's nodes have 1.0 MB."""
_TENSORS_LIMIT = 2_000
"""Kokoro's graph has 775."""
_INTEGERS_LIMIT_BYTES = 8 << 10
"""Of a tensor's integers that are not raw, which are slow to read; Kokoro's longest have 2 kB."""
_NAME_LIMIT = 1_000
_DIMENSIONS_LIMIT = 8
_HINT = "Get another copy of the file."

Value = int | memoryview | None
"""A field's integer or bytes; None stands for numbers of a fixed size, which nothing here needs."""
Message = Mapping[int, Sequence[Value]]
"""The values of a protocol buffer's fields by field number."""


@dataclass(frozen=True)
class Node:
    """An operator with the names of the tensors that it reads and writes."""

    name: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """The nodes of an ONNX file in their order, and its constant tensors (its initializers), read-only, by name."""

    file_name: str
    nodes: tuple[Node, ...] = field(repr=False)
    initializers: Mapping[str, Array] = field(repr=False)


class _MalformedError(ValueError):
    """What is wrong with a file, as the end of a sentence."""


def read_graph(path: Path) -> Graph:
    """The graph of a file, mapped into memory.

    Raises `UnusableModel` when it is damaged, or of a kind that is not read here.
    """
    try:
        with path.open("rb") as stream:
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise UnusableModel(f"{path.name} is empty or cannot be read.", _HINT) from error
    return parse_graph(memoryview(content), path.name)


def parse_graph(content: memoryview, file_name: str) -> Graph:
    """The graph of a file with this content; its tensors are views of `content`.

    Raises `UnusableModel` as `read_graph` does.
    """
    try:
        graph = _message(_only(_message(content), _MODEL_GRAPH, "graph"), _GRAPH_FIELDS_LIMIT)
        if _GRAPH_SPARSE_INITIALIZER in graph:
            raise _MalformedError("it has sparse tensors")
        return Graph(file_name, tuple(_nodes(graph)), _initializers(graph))
    except _MalformedError as error:
        raise UnusableModel(f"{file_name} is damaged or not an ONNX file of this kind: {error}.", _HINT) from error


def _nodes(graph: Message) -> Iterator[Node]:
    messages = _all_bytes(graph, _GRAPH_NODE)
    if sum(map(len, messages)) > _NODES_LIMIT_BYTES:
        raise _MalformedError("its nodes are larger than those of any model that is read here")
    for content in messages:
        node = _message(content)
        inputs, outputs = _texts(node, _NODE_INPUT), _texts(node, _NODE_OUTPUT)
        yield Node(_text(node, _NODE_NAME), _text(node, _NODE_OPERATOR), inputs, outputs)


def _initializers(graph: Message) -> dict[str, Array]:
    tensors: dict[str, Array] = {}
    contents = _all_bytes(graph, _GRAPH_INITIALIZER)
    if len(contents) > _TENSORS_LIMIT:
        raise _MalformedError("it has more tensors than any model that is read here")
    for content in contents:
        message = _message(content)
        name = _text(message, _TENSOR_NAME)
        if name in tensors:
            raise _MalformedError(f"two tensors are named {name}")
        tensors[name] = _tensor(message, name)
    return tensors


def _tensor(message: Message, name: str) -> Array:
    location = _integers(message, _TENSOR_LOCATION)
    if any(location) or _TENSOR_EXTERNAL in message or _TENSOR_SEGMENT in message:
        raise _MalformedError(f"the content of the tensor {name} is not, or not whole, in the file")
    shape = _integers(message, _TENSOR_DIMS)
    if len(shape) > _DIMENSIONS_LIMIT or not all(1 <= size < 1 << 31 for size in shape):
        raise _MalformedError(f"the tensor {name} has no usable shape")
    kind = _integers(message, _TENSOR_TYPE)
    if len(kind) != 1 or kind[0] not in _TYPES:
        raise _MalformedError(f"the elements of the tensor {name} are of a type that is not read here")
    values = _elements(message, name, kind[0])
    if len(values) != math.prod(shape):
        raise _MalformedError(f"the tensor {name} is of another size than its shape {list(shape)}")
    return values.reshape(shape)


def _elements(message: Message, name: str, kind: int) -> Array:
    """The elements of a tensor in one dimension; those that are raw or float32 as a view of the file."""
    dtype, typed = _TYPES[kind], _TYPED_FIELDS[kind]
    if (_TENSOR_RAW in message) == (typed in message):
        raise _MalformedError(f"the elements of the tensor {name} are missing or stored twice")
    if typed in message and dtype.kind != "f":
        return _as_type(_integers(message, typed), dtype, name)
    content = _only(message, _TENSOR_RAW if _TENSOR_RAW in message else typed, "content of a tensor")
    if not content or len(content) % dtype.itemsize:
        raise _MalformedError(f"the elements of the tensor {name} are incomplete")
    return np.frombuffer(content, dtype)


def _as_type(integers: Sequence[int], dtype: np.dtype[Any], name: str) -> Array:
    limits = np.iinfo(dtype)
    if not integers or min(integers) < limits.min or max(integers) > limits.max:
        raise _MalformedError(f"the elements of the tensor {name} do not fit their type")
    return np.array(integers, dtype)


def _texts(message: Message, number: int) -> tuple[str, ...]:
    return tuple(_decoded(content) for content in _all_bytes(message, number))


def _text(message: Message, number: int) -> str:
    """The text of a field; empty if there is none."""
    return _decoded(_only(message, number, "name")) if number in message else ""


def _decoded(content: memoryview) -> str:
    try:
        text = str(content[: _NAME_LIMIT + 1], "utf-8")
    except UnicodeDecodeError as error:
        raise _MalformedError("a name is not text") from error
    if len(content) > _NAME_LIMIT or not text.isprintable():
        raise _MalformedError("a name is too long, or not printable")
    return text


def _only(message: Message, number: int, what: str) -> memoryview:
    contents = _all_bytes(message, number)
    if len(contents) != 1:
        raise _MalformedError(f"it has {len(contents)} instead of one {what}")
    return contents[0]


def _all_bytes(message: Message, number: int) -> list[memoryview]:
    contents = [value for value in message.get(number, ()) if isinstance(value, memoryview)]
    if len(contents) != len(message.get(number, ())):
        raise _MalformedError(f"field {number} is a number")
    return contents


def _integers(message: Message, number: int) -> list[int]:
    """The integers of a field, one by one or packed, as signed numbers of 64 bits."""
    integers: list[int] = []
    for value in message.get(number, ()):
        if value is None:
            raise _MalformedError(f"field {number} is not an integer")
        integers.extend([value] if isinstance(value, int) else _unpacked(value))
    return [integer - (integer >> _VARINT_BITS - 1 << _VARINT_BITS) for integer in integers]


def _unpacked(content: memoryview) -> Iterator[int]:
    if len(content) > _INTEGERS_LIMIT_BYTES:
        raise _MalformedError("it has a list of integers longer than those of any model that is read here")
    position = 0
    while position < len(content):
        integer, position = _varint(content, position)
        yield integer


def _message(content: memoryview, most: int = _FIELDS_LIMIT) -> Message:
    """The fields of a message, which may have this many at most."""
    message: dict[int, list[Value]] = {}
    position = count = 0
    while position < len(content):
        tag, position = _varint(content, position)
        value, position = _value(content, position, tag & 7)
        message.setdefault(tag >> 3, []).append(value)
        count += 1
        if count > most:
            raise _MalformedError(f"a part of it has more than {most} fields")
    return message


def _value(content: memoryview, position: int, wire_type: int) -> tuple[Value, int]:
    """The value of a field that begins here, and the position after it."""
    if wire_type == _VARINT:
        return _varint(content, position)
    if wire_type == _BYTES:
        length, position = _varint(content, position)
    elif wire_type in _FIXED_BYTES:
        length = _FIXED_BYTES[wire_type]
    else:
        raise _MalformedError(f"it has a field of the unknown wire type {wire_type}")
    end = position + length
    if end > len(content):
        raise _MalformedError("it ends in the middle of a field")
    return (content[position:end] if wire_type == _BYTES else None), end


def _varint(content: memoryview, position: int) -> tuple[int, int]:
    """The integer of 7 bits a byte, the lowest first, that begins here, and the position after it."""
    integer = 0
    for shift in range(0, _VARINT_BITS, 7):
        if position >= len(content):
            raise _MalformedError("it ends in the middle of a number")
        byte = content[position]
        position += 1
        integer |= (byte & 0x7F) << shift
        if byte < 0x80:
            return integer & (1 << _VARINT_BITS) - 1, position
    raise _MalformedError("a number is too long")
