"""The weights of a quantised ONNX model as float32 arrays, by the state-dict keys of a network without weight norm.

The exporter of PyTorch names most constants after parameters, but leaves the weights of matrix products, LSTMs and
convolutions with weight norm anonymous; the nodes that read those are named after the modules they come from. Each
quantised weight is (integer - zero point) * scale; equal zero points are stored once for all, so scales and zero points
are found by following the nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import UnusableModel
from engine.model_store.onnx_file import Graph, Node, read_graph
from engine.network.weights import Weights
from engine.speech import Array

Shapes = Mapping[str, tuple[int, ...]]
"""Of every weight of a network, by state-dict key."""

QUANTISED_SUFFIX = ".onnx"
_HINT = "Choose the published 8-bit file of this model."
_TORCH_GATES = [0, 2, 3, 1]
"""ONNX stores the gates of an LSTM as input, output, forget, cell; PyTorch as input, forget, cell, output."""
_DIRECTIONS = ("", "_reverse")
_WITHOUT_PART = "predictor"
"""The part of the network whose modules are called one by one, so that their nodes do not name it."""
_IMPLIED = {
    re.compile(r".*\.norm\.weight"): 1.0,  # of instance norms: multiplying by 1 and adding 0 is left out of an export
    re.compile(r".*\.norm\.bias"): 0.0,
    re.compile(r"bert\.pooler\..*"): 0.0,  # never used
}
"""Weights that a file may lack, and their values."""


class _MisfitError(ValueError):
    """How a file differs from this network, as the end of a sentence."""


@dataclass(frozen=True)
class _Stored:
    """A tensor as the file has it, in PyTorch's layout; a scale and zero point apply to all of it or to each row."""

    values: Array
    scale: Array | None = None
    zero_point: Array | None = None

    def floats(self) -> NDArray[np.float32]:
        """The weights themselves."""
        if (self.scale is None) != (self.values.dtype.kind == "f"):
            raise _MisfitError(f"a weight is stored as {self.values.dtype}")
        floats = np.array(self.values, np.float32, order="C")
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is found later
            if self.zero_point is not None:
                floats -= self._along_rows(self.zero_point)
            if self.scale is not None:
                floats *= self._along_rows(self.scale)
        return floats

    def _along_rows(self, parameter: Array) -> NDArray[np.float32]:
        if parameter.ndim == 0:
            return parameter.astype(np.float32)
        if parameter.shape != self.values.shape[:1]:
            raise _MisfitError(f"a scale or zero point is {list(parameter.shape)} for {list(self.values.shape)}")
        return parameter.astype(np.float32).reshape(-1, *[1] * (self.values.ndim - 1))


class _Wiring:
    """A graph by what is read and written where."""

    def __init__(self, graph: Graph) -> None:
        self.initializers = graph.initializers
        self._writer = {name: node for node in graph.nodes for name in node.outputs if name}
        self._readers: dict[str, list[Node]] = {}
        for node in graph.nodes:
            for name in node.inputs:
                self._readers.setdefault(name, []).append(node)

    def constant(self, node: Node, index: int) -> Array:
        """The constant that a node reads as its input of this index."""
        name = node.inputs[index] if index < len(node.inputs) else ""
        if name not in self.initializers:
            raise _MisfitError(f"input {index} of {node.name} is not a constant")
        return self.initializers[name]

    def writer(self, name: str) -> Node:
        """The node that writes a tensor."""
        if name not in self._writer:
            raise _MisfitError(f"nothing writes {name}")
        return self._writer[name]

    def output_scale(self, node: Node) -> Array:
        """The constant factor of the scale by which the integers that a node writes become floats.

        Before that multiplication, a bias may be added to the integers, and they are cast.
        """
        name = _output(node)
        for operator in ("Add", "Cast"):
            reader = self._only_reader(name)
            name = _output(reader) if reader.operator == operator else name
        product = self._only_reader(name)
        scales = [scale for scale in product.inputs if scale != name]
        if product.operator != "Mul" or len(scales) != 1:
            raise _MisfitError(f"what {node.name} writes is not scaled")
        return self._constant_factor(self.writer(scales[0]))

    def _only_reader(self, name: str) -> Node:
        readers = self._readers.get(name, [])
        if len(readers) != 1:
            raise _MisfitError(f"{name} is read by {len(readers)} nodes instead of one")
        return readers[0]

    def _constant_factor(self, node: Node) -> Array:
        factors = [name for name in node.inputs if name in self.initializers]
        if node.operator != "Mul" or len(factors) != 1:
            raise _MisfitError(f"{node.name} is not a product of two scales")
        return self.initializers[factors[0]]


def _output(node: Node) -> str:
    return node.outputs[0] if node.outputs else ""


Found = Iterator[tuple[str, _Stored]]
"""Tensors by their names in a module, or by state-dict key."""


def read_quantised(path: Path, shapes: Shapes, advance: Callable[[int], None] = lambda count: None) -> Weights:
    """Every weight of a network as float32, by state-dict key, from a quantised ONNX file; nothing is run.

    `advance` gets the number of bytes read so far. Raises `UnusableModel` when the file is damaged, or of another
    network.
    """
    return quantised_weights(read_graph(path), shapes, advance)


def quantised_weights(graph: Graph, shapes: Shapes, advance: Callable[[int], None] = lambda count: None) -> Weights:
    """Every weight of a network, whose shapes are given by state-dict key, as float32 from the graph of its export.

    `advance` gets the number of bytes read so far. Raises `UnusableModel` when the graph is of another network.
    """
    weights: Weights = {}
    done = 0
    try:
        for key, stored in _all_stored(graph, shapes):
            if key in weights or key not in shapes:
                raise _MisfitError(f"{key} is stored twice" if key in weights else f"{key} is not a weight of it")
            weights[key] = _checked(key, stored, shapes[key])
            done += stored.values.nbytes
            advance(done)
        return {key: weights[key] if key in weights else _implied(key, shape) for key, shape in shapes.items()}
    except _MisfitError as error:
        raise UnusableModel(f"{graph.file_name} is not an 8-bit file of this model: {error}.", _HINT) from error


def _all_stored(graph: Graph, shapes: Shapes) -> Found:
    """The tensors of the network's modules and parameters, by state-dict key."""
    wiring = _Wiring(graph)
    modules = {key.rpartition(".")[0] for key in shapes}
    for node in graph.nodes:
        read = _READERS.get(node.operator)
        module = _module(node.name, modules)
        if read is not None and module in modules:
            for name, stored in read(wiring, node):
                yield f"{module}.{name}", stored
    for name, values in graph.initializers.items():
        key = name.partition(".")[2]  # what follows the half of the network
        if key in shapes and values.dtype.kind == "f":
            yield key, _Stored(values)


def _module(node_name: str, modules: set[str]) -> str:
    """The module that a node is named after, as `decoder.asr_res.0` for `/decoder/decoder/asr_res/asr_res.0/Conv`.

    The first part of a node's name is the half of the network that was exported as a whole.
    """
    parts: list[str] = []
    for part in node_name.strip("/").split("/")[1:-1]:
        if parts and part.startswith(f"{parts[-1]}."):  # the entry of a list is named with the list
            parts.pop()
        parts.append(part)
    module = ".".join(parts)
    return module if module in modules else f"{_WITHOUT_PART}.{module}"


def _checked(key: str, stored: _Stored, shape: tuple[int, ...]) -> NDArray[np.float32]:
    if stored.values.shape != shape:
        raise _MisfitError(f"{key} is {list(stored.values.shape)} instead of {list(shape)}")
    floats = stored.floats()
    if not np.isfinite(floats).all():
        raise _MisfitError(f"{key} holds numbers that are not finite")
    return floats


def _implied(key: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    for pattern, value in _IMPLIED.items():
        if pattern.fullmatch(key):
            return np.full(shape, value, np.float32)
    raise _MisfitError(f"it lacks {key}")


def _float_weight(wiring: _Wiring, node: Node) -> Found:
    yield "weight", _Stored(wiring.constant(node, 1))


def _float_matrix(wiring: _Wiring, node: Node) -> Found:
    yield "weight", _Stored(wiring.constant(node, 1).T)


def _integer_weight(wiring: _Wiring, node: Node) -> Found:
    yield "weight", _Stored(wiring.constant(node, 1), wiring.output_scale(node), wiring.constant(node, 3))


def _integer_matrix(wiring: _Wiring, node: Node) -> Found:
    """A matrix of one input a row, with scales and zero points for each output."""
    yield "weight", _Stored(wiring.constant(node, 1).T, wiring.output_scale(node), wiring.constant(node, 3))


def _embedding(wiring: _Wiring, node: Node) -> Found:
    """A table whose rows are looked up before they are made into floats."""
    lookup = wiring.writer(node.inputs[0]) if node.inputs else node
    if lookup.operator != "Gather":
        raise _MisfitError(f"{node.name} reads no table")
    yield "weight", _Stored(wiring.constant(lookup, 0), wiring.constant(node, 1), wiring.constant(node, 2))


def _lstm(wiring: _Wiring, node: Node) -> Found:
    """Both directions of `com.microsoft.DynamicQuantizeLSTM`, documented with the operators of ONNX Runtime.

    W and R are [directions, inputs, 4 * hidden], B [directions, 8 * hidden] with the biases of W first; scales and
    zero points are [directions] or [directions, 4 * hidden].
    """
    biases = wiring.constant(node, 3)
    for kind, index, scale_index in (("ih", 1, 8), ("hh", 2, 10)):
        weights = wiring.constant(node, index)
        parameters = [wiring.constant(node, scale_index + offset) for offset in (0, 1)]
        both = all(array.shape[:1] == (len(_DIRECTIONS),) for array in (biases, weights, *parameters))
        if not both or weights.ndim != 3 or biases.ndim != 2:
            raise _MisfitError(f"{node.name} is not an LSTM of two directions")
        half = slice(0, weights.shape[2]) if kind == "ih" else slice(weights.shape[2], None)
        for direction, suffix in enumerate(_DIRECTIONS):
            arrays = (weights[direction].T, *(parameter[direction] for parameter in parameters))
            yield f"weight_{kind}_l0{suffix}", _Stored(*map(_torch_gates, arrays))
            yield f"bias_{kind}_l0{suffix}", _Stored(_torch_gates(biases[direction, half]))


def _torch_gates(array: Array) -> Array:
    """Rows of the gates in PyTorch's order; one number for all rows stays as it is."""
    if array.ndim == 0:
        return array
    if len(array) % len(_TORCH_GATES):
        raise _MisfitError("the gates of an LSTM are of different sizes")
    gates = array.reshape(len(_TORCH_GATES), -1, *array.shape[1:])
    return gates[_TORCH_GATES].reshape(array.shape)


_READERS: Mapping[str, Callable[[_Wiring, Node], Found]] = {
    "Conv": _float_weight,
    "ConvTranspose": _float_weight,
    "MatMul": _float_matrix,
    "ConvInteger": _integer_weight,
    "MatMulInteger": _integer_matrix,
    "DequantizeLinear": _embedding,
    "DynamicQuantizeLSTM": _lstm,
}
"""How the weights of a module are found from the node that reads them."""
