"""A small graph in the style of PyTorch's exporter and ONNX Runtime's quantizer, and its weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from engine.network.weights import Weights
from tests.compact_model import layout_of, write_layout

HIDDEN, INPUTS = 3, 5
LSTM = "predictor.text_encoder.lstms.0"
SHAPES = {
    "bert.embeddings.word_embeddings.weight": (7, 4),
    "bert.attention.query.weight": (6, 4),
    "bert.attention.query.bias": (6,),
    "bert.pooler.weight": (4, 4),
    **{f"{LSTM}.weight_ih_l0{suffix}": (4 * HIDDEN, INPUTS) for suffix in ("", "_reverse")},
    **{f"{LSTM}.weight_hh_l0{suffix}": (4 * HIDDEN, HIDDEN) for suffix in ("", "_reverse")},
    **{f"{LSTM}.bias_{kind}_l0{suffix}": (4 * HIDDEN,) for kind in ("ih", "hh") for suffix in ("", "_reverse")},
    "predictor.F0.0.conv1.weight": (3, 2, 3),
    "predictor.F0.0.conv1.bias": (3,),
    "predictor.F0.0.norm1.norm.weight": (2,),
    "predictor.F0.0.norm1.norm.bias": (2,),
    "decoder.asr_res.0.weight": (2, 3, 1),
    "decoder.generator.ups.0.weight": (4, 2, 6),
    "decoder.generator.m_source.l_linear.weight": (1, 9),
    "decoder.generator.resblocks.0.alpha1.0": (1, 4, 1),
}
"""One shape of each kind."""


class Export:
    """A graph that grows layer by layer, and the weights that should be found in it."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.tensors: list[TensorProto] = []
        self.expected: Weights = {}
        self._random = np.random.default_rng(0)

    def content(self) -> bytes:
        return helper.make_model(helper.make_graph(self.nodes, "main", [], [], self.tensors)).SerializeToString()

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write the file, and the table of the places of its weights."""
        model, table = folder / "m.onnx", folder / "m.csv"
        model.write_bytes(self.content())
        write_layout(table, layout_of(model, SHAPES))
        return model, table

    def constant(self, name: str, values: np.ndarray) -> str:
        if all(tensor.name != name for tensor in self.tensors):
            self.tensors.append(numpy_helper.from_array(values, name))
        return name

    def node(self, operator: str, name: str, inputs: list[str], outputs: int = 1) -> str:
        names = [f"{name}_output_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, name))
        return names[0]

    def floats(self, *shape: int) -> np.ndarray:
        return self._random.standard_normal(shape).astype(np.float32)

    def integers(self, dtype: type, *shape: int) -> np.ndarray:
        limits = np.iinfo(dtype)
        return self._random.integers(limits.min, limits.max, shape, dtype, endpoint=True)

    def parameter(self, name: str, key: str) -> None:
        """Add a float tensor under its own name, in one half of the network."""
        self.expected[key] = self.floats(*SHAPES[key])
        self.constant(name, self.expected[key])

    def product(self, operator: str, name: str, weights: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> None:
        """Add a product of integers; a wide convolution's has a bias that is added before it is scaled."""
        zero_name = self.constant(f"zero_{zero.dtype}_{zero.shape}", zero)  # shared by all
        inputs = ["x_integers", self.constant(f"anonymous_{len(self.tensors)}", weights), "x_zero", zero_name]
        integers = self.node(operator, f"{name}_quant", inputs)
        if operator == "ConvInteger" and weights.shape[2] > 1:
            integers = self.node("Add", "", [integers, "bias_integers"])
        scale_name = self.constant(f"scale_{len(self.tensors)}", scale)
        scales = self.node("Mul", f"{name}_scales", ["x_scale", scale_name])
        self.node("Mul", f"{name}_scaled", [self.node("Cast", f"{name}_cast", [integers]), scales])

    def lstm(self, name: str, key: str) -> None:
        """Add an LSTM of two directions, its gates and matrices in ONNX's order."""
        arrays: dict[str, np.ndarray] = {}
        for kind, inputs in (("ih", INPUTS), ("hh", HIDDEN)):
            values, scale = self.integers(np.int8, 2, inputs, 4 * HIDDEN), np.abs(self.floats(2))
            arrays |= {kind: values, f"{kind}_scale": scale, f"{kind}_bias": self.floats(2, 4 * HIDDEN)}
            for direction, suffix in enumerate(("", "_reverse")):
                floats = values[direction].T.astype(np.float32) * scale[direction]
                self.expected[f"{key}.weight_{kind}_l0{suffix}"] = torch_order(floats)
                self.expected[f"{key}.bias_{kind}_l0{suffix}"] = torch_order(arrays[f"{kind}_bias"][direction])
        arrays |= {"bias": np.concatenate([arrays.pop("ih_bias"), arrays.pop("hh_bias")], axis=1)}
        arrays["zero"] = np.zeros(2, np.int8)
        names = {part: self.constant(f"lstm_{part}", array) for part, array in arrays.items()}
        tail = [names["ih_scale"], names["zero"], names["hh_scale"], names["zero"]]
        inputs = ["x", names["ih"], names["hh"], names["bias"], "", "", "", "", *tail]
        self.node("DynamicQuantizeLSTM", f"{name}_quant", inputs, 3)


def torch_order(rows: np.ndarray) -> np.ndarray:
    """Reorder ONNX's input, output, forget, cell to PyTorch's input, forget, cell, output."""
    gate = dict(zip("iofc", np.split(rows, 4), strict=True))
    return np.concatenate([gate["i"], gate["f"], gate["c"], gate["o"]])


def exported() -> Export:
    made = Export()
    add_embedding(made)
    add_products(made)
    made.lstm("/encoder/predictor/text_encoder/lstms.0/LSTM", LSTM)
    add_floats(made)
    made.expected["bert.pooler.weight"] = np.zeros((4, 4), np.float32)
    made.expected["predictor.F0.0.norm1.norm.weight"] = np.ones(2, np.float32)
    made.expected["predictor.F0.0.norm1.norm.bias"] = np.zeros(2, np.float32)
    return made


def add_embedding(made: Export) -> None:
    table, scale, zero = made.integers(np.int8, 7, 4), np.float32(0.25), np.int8(3)
    made.expected["bert.embeddings.word_embeddings.weight"] = (table.astype(np.float32) - 3) * scale
    rows = made.node("Gather", "Gather_quant", [made.constant("table", table), "tokens"])
    parameters = [made.constant("table_scale", np.array(scale)), made.constant("table_zero", np.array(zero))]
    name = "/encoder/bert/embeddings/word_embeddings/Gather_quant_DequantizeLinear"
    made.node("DequantizeLinear", name, [rows, *parameters])


def add_products(made: Export) -> None:
    matrix, scale, zero = made.integers(np.int8, 4, 6), np.abs(made.floats(6)), np.full(6, -3, np.int8)
    made.expected["bert.attention.query.weight"] = ((matrix.astype(np.float32) - zero) * scale).T
    for name in ("query", "query_1"):  # a layer that runs twice
        made.product("MatMulInteger", f"/encoder/bert/attention/{name}/MatMul", matrix, scale, zero)
    for path, key in (
        ("/encoder/F0.0/conv1/Conv", "predictor.F0.0.conv1.weight"),
        ("/decoder/decoder/asr_res/asr_res.0/Conv", "decoder.asr_res.0.weight"),
    ):
        weights, one_scale = made.integers(np.uint8, *SHAPES[key]), np.array(0.5, np.float32)
        made.expected[key] = (weights.astype(np.float32) - 131) * one_scale
        made.product("ConvInteger", path, weights, one_scale, np.array(131, np.uint8))


def add_floats(made: Export) -> None:
    ups, matrix = made.floats(4, 2, 6), made.floats(9, 1)
    made.expected["decoder.generator.ups.0.weight"] = ups
    made.expected["decoder.generator.m_source.l_linear.weight"] = matrix.T
    made.node("ConvTranspose", "/decoder/decoder/generator/ups.0/ConvTranspose", ["x", made.constant("a", ups)])
    made.node("MatMul", "/decoder/decoder/generator/m_source/l_linear/MatMul", ["x", made.constant("b", matrix)])
    made.node("MatMul", "/encoder/MatMul", ["x", "y"])
    made.constant("shape", np.array([1, 2]))
    for half, key in (
        ("encoder", "bert.attention.query.bias"),
        ("encoder", "predictor.F0.0.conv1.bias"),
        ("decoder", "decoder.generator.resblocks.0.alpha1.0"),
    ):
        made.parameter(f"{half}.{key}", key)
