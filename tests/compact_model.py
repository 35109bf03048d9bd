"""Writes the table and corrections of the compact model: python -m tests.compact_model MODEL.onnx ORIGINAL FOLDER.

MODEL is the published file, whose layout becomes `compact_layout.csv`; ORIGINAL is a checkpoint of the official
weights, from which the layers that 8 bits degrade go into `compact_corrections.safetensors` in half precision.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, load, numpy_helper
from safetensors.numpy import save_file

from engine.config import ModelConfig
from engine.models.conversion import COLUMNWISE, CONSTANTS, ROWWISE, StoredTensor
from engine.network.published_checkpoint import expected_weights, read_checkpoint
from engine.network.weights import Weights
from engine.system.paths import resources_folder

LAYOUT_NAME, CORRECTIONS_NAME = "compact_layout.csv", "compact_corrections.safetensors"
CORRECTED = (
    "predictor.F0.2.conv1.weight",  # its 8 bits alone make the pitch 63 cents lower
    "predictor.shared.weight_hh_l0",  # most of the pitch's remaining error, for its size
    *(f"decoder.generator.noise_convs.{level}.weight" for level in range(2)),  # from here on, the worst of the spectrum
    "decoder.generator.resblocks.3.convs2.2.weight",
    *(f"decoder.generator.resblocks.{block}.convs2.{layer}.weight" for block in (4, 5) for layer in range(3)),
)
"""The corrections worth their size: 1.5 million weights, 3 MB."""
ONNX_GATES = "iofc"
"""The order of gates: input, output, forget, cell."""
DIRECTIONS = ("", "_reverse")
WITHOUT_PART = "predictor"
"""The part of the network whose modules are called one by one, so that their nodes do not name it."""
IMPLIED = {
    re.compile(r".*\.norm\.weight"): "ones",  # of instance norms: an export omits multiplying by 1 and adding 0
    re.compile(r".*\.norm\.bias"): "zeros",
    re.compile(r"bert\.pooler\..*"): "zeros",  # never used
}
"""Weights that the file lacks, with their values."""
Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Constants:
    """The constant tensors of a file: their values, and where those begin in it."""

    values: Mapping[str, np.ndarray]
    places: Mapping[str, int]


def layout_of(path: Path, shapes: Shapes) -> list[StoredTensor]:
    """Locate each weight of a network in a file: by the names of constants, or of the nodes that read them.

    The exporter of PyTorch names most constants after parameters, but leaves the weights of matrix products, LSTMs and
    convolutions with weight norm anonymous; the nodes that read those are named after the modules they come from.
    """
    model = load(path)
    constants = _constants(model, path.read_bytes())
    found = {row.name: row for row in (*_read_by_nodes(model, constants, shapes), *_named(constants, shapes))}
    rows = [found.get(name) or _implied(name, shape) for name, shape in shapes.items()]
    if wrong := [row.name for row in rows if row.shape != shapes[row.name]]:
        raise ValueError(f"the shapes of {wrong} are others")
    return rows


def write_layout(path: Path, rows: list[StoredTensor]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(field.name for field in fields(StoredTensor))
        for row in rows:
            name, shape, *others = astuple(row)
            writer.writerow((name, "x".join(map(str, shape)), *others))


def corrections_of(original: Weights) -> dict[str, np.ndarray]:
    return {name: original[name].astype(np.float16) for name in CORRECTED}


def _constants(model: ModelProto, content: bytes) -> Constants:
    """Return the constants in the order of the file; equal bytes before a tensor's own would do as well."""
    values, places, position = {}, {}, 0
    for tensor in model.graph.initializer:
        values[tensor.name] = numpy_helper.to_array(tensor)
        if _is_plain(tensor):
            position = content.index(values[tensor.name].tobytes(), position)
            places[tensor.name] = position
    return Constants(values, places)


def _is_plain(tensor: TensorProto) -> bool:
    """Return whether its elements are in the file as they are in memory."""
    return tensor.HasField("raw_data") or bool(tensor.float_data)


def _named(constants: Constants, shapes: Shapes) -> Iterator[StoredTensor]:
    """Yield floats named after parameters, behind the half of the network that was exported as a whole."""
    for name, values in constants.values.items():
        key = name.partition(".")[2]
        if key in shapes and values.dtype == np.float32:
            yield StoredTensor(key, values.shape, "float32", constants.places[name])


def _implied(name: str, shape: tuple[int, ...]) -> StoredTensor:
    kind = next(kind for pattern, kind in IMPLIED.items() if pattern.fullmatch(name))
    assert kind in CONSTANTS
    return StoredTensor(name, shape, kind)


def _read_by_nodes(model: ModelProto, constants: Constants, shapes: Shapes) -> Iterator[StoredTensor]:
    modules = {name.rpartition(".")[0] for name in shapes}
    scales = _Scales(model, constants)
    for node in model.graph.node:
        module = _module(node.name, modules)
        if module not in modules:
            continue
        key = f"{module}.weight"
        match node.op_type:
            case "Conv" | "ConvTranspose":
                yield _row(constants, key, node.input[1], ROWWISE)
            case "MatMul":
                yield _row(constants, key, node.input[1], COLUMNWISE)
            case "ConvInteger":
                yield _row(constants, key, node.input[1], ROWWISE, scales.after(node), node.input[3])
            case "MatMulInteger":
                yield _row(constants, key, node.input[1], COLUMNWISE, scales.after(node), node.input[3])
            case "DequantizeLinear":  # of rows that a Gather has looked up
                table = scales.writers[node.input[0]].input[0]
                yield _row(constants, key, table, ROWWISE, node.input[1], node.input[2])
            case "DynamicQuantizeLSTM":
                yield from _lstm(constants, module, node)


def _row(
    constants: Constants, key: str, name: str, order: str, scales: str = "", zero_points: str = ""
) -> StoredTensor:
    values = constants.values[name]
    shape = values.shape if order == ROWWISE else values.shape[::-1]
    row = StoredTensor(key, shape, values.dtype.name, constants.places[name], order)
    if not scales:
        return row
    (zero_point,) = set(constants.values[zero_points].flat)  # the same for every row
    factors = constants.values[scales]
    return replace(row, scales_at=constants.places[scales], scales=factors.size, zero_point=int(zero_point))


def _lstm(constants: Constants, module: str, node: NodeProto) -> Iterator[StoredTensor]:
    """Yield both directions: W and R are [directions, inputs, 4 * hidden], B [directions, 8 * hidden], W's first."""
    for kind, index, scale_index in (("ih", 1, 8), ("hh", 2, 10)):
        for direction, suffix in enumerate(DIRECTIONS):
            weights, biases, scales = (constants.values[node.input[i]] for i in (index, 3, scale_index))
            (zero_point,) = set(constants.values[node.input[scale_index + 1]].flat)
            weights_at, biases_at, scales_at = (
                constants.places[node.input[i]] + constants.values[node.input[i]][:direction].nbytes
                for i in (index, 3, scale_index)
            )
            name = f"{module}.weight_{kind}_l0{suffix}"
            shape, kind_name = weights.shape[:0:-1], weights.dtype.name
            count = scales[direction].size
            yield StoredTensor(
                name, shape, kind_name, weights_at, COLUMNWISE, ONNX_GATES, scales_at, count, int(zero_point)
            )
            half = biases.itemsize * shape[0] * (kind == "hh")
            bias = f"{module}.bias_{kind}_l0{suffix}"
            yield StoredTensor(bias, shape[:1], biases.dtype.name, biases_at + half, ROWWISE, ONNX_GATES)


class _Scales:
    """The scales that turn integers back into floats."""

    def __init__(self, model: ModelProto, constants: Constants) -> None:
        self.writers = {name: node for node in model.graph.node for name in node.output}
        self._readers = {name: node for node in model.graph.node for name in node.input}
        self._constants = constants

    def after(self, node: NodeProto) -> str:
        """Return the name of the constant factor of a node's scale; a bias may be added to the integers first."""
        name = node.output[0]
        while (reader := self._readers[name]).op_type in ("Add", "Cast"):
            name = reader.output[0]
        assert reader.op_type == "Mul"
        (product,) = (self.writers[scale] for scale in reader.input if scale != name)
        assert product.op_type == "Mul"
        (factor,) = (scale for scale in product.input if scale in self._constants.values)
        return factor


def _module(node_name: str, modules: set[str]) -> str:
    """Return a node's module, such as `decoder.asr_res.0` of `/decoder/decoder/asr_res/asr_res.0/Conv`.

    The first part of a node's name is the half of the network that was exported as a whole.
    """
    parts: list[str] = []
    for part in node_name.strip("/").split("/")[1:-1]:
        if parts and part.startswith(f"{parts[-1]}."):  # the entry of a list is named with the list
            parts.pop()
        parts.append(part)
    module = ".".join(parts)
    return module if module in modules else f"{WITHOUT_PART}.{module}"


def main(model: Path, original: Path, folder: Path) -> None:
    config = ModelConfig.load(resources_folder() / "kokoro-82m" / "config.json")
    write_layout(folder / LAYOUT_NAME, layout_of(model, expected_weights(config)[0]))
    save_file(corrections_of(read_checkpoint(original, config)), folder / CORRECTIONS_NAME)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
