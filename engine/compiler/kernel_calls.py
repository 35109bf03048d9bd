"""Calls of hand-written kernels in a Relax graph, which has each kernel once per size and packs each weight once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod
from typing import Any

from torch import fx
from tvm import relax, te, tirx, topi
from tvm.sym import Analyzer
from tvm.tirx import PrimFunc

from engine.compiler.kernel_set import HAND_WRITTEN, KernelSet
from engine.compiler.kernels.epilogue import Epilogue
from engine.compiler.script_parsing import quick_parsing

Importer = Any
"""TVM's importer of torch graphs: `env` maps torch nodes to Relax variables, `block_builder` adds new ones."""
_OPAQUE = 8
"""Relax's operator pattern of a function that fusion must leave alone."""


class KernelRegistry:
    """The kernels already placed in one graph, all of one set."""

    def __init__(self, kernels: KernelSet) -> None:
        self.kernels = kernels
        self._placed: dict[Hashable, Any] = {}
        self._packed: dict[Hashable, relax.Var] = {}

    def place(self, importer: Importer, factory: Callable[..., PrimFunc], sizes: Sequence[Hashable]) -> Any:
        """The name in the graph of the kernel `factory(*sizes)`, which is added on first use."""
        key = (factory, *sizes)
        if key not in self._placed:
            with quick_parsing():
                kernel = factory(*sizes).with_attr({"op_pattern": _OPAQUE, HAND_WRITTEN: True})
            self._placed[key] = importer.block_builder.add_func(kernel, factory.__name__)
        return self._placed[key]

    def packed(self, weight: relax.Var, key: Hashable, pack: Callable[[], relax.Var]) -> relax.Var:
        """The result of `pack` for a weight, emitted once per weight and key, because layers may share weights."""
        if (weight, key) not in self._packed:
            self._packed[weight, key] = pack()
        return self._packed[weight, key]


class Call:
    """One operator being translated: its arguments, and methods that emit its replacement."""

    def __init__(self, node: fx.Node, importer: Importer, registry: KernelRegistry) -> None:
        self.node = node
        self._importer = importer
        self._registry = registry
        self.arguments = self._arguments()

    @property
    def kernels(self) -> KernelSet:
        """The kernel set of the graph."""
        return self._registry.kernels

    def of(self, node: fx.Node) -> Call:
        """A different operator of the same graph."""
        return Call(node, self._importer, self._registry)

    def default(self) -> relax.Expr:
        """The operator as TVM's own converter translates it."""
        name = self.node.target.__name__  # type: ignore[union-attr]
        converted: relax.Expr = self._importer.create_convert_map()[name](self.node)
        return converted

    def emit(self, expression: relax.Expr) -> relax.Var:
        """Bind an expression to a new variable."""
        return self._importer.block_builder.emit(expression)

    def of_each(self, name: str, function: Callable[..., Any], x: relax.Expr, *others: relax.Expr) -> relax.Var:
        """An elementwise function, written as an expression of single values; fusion may include it.

        Further arguments of the function come from other tensors, which are broadcast to the shape of the first.
        """

        def each(source: te.Tensor, *rest: te.Tensor) -> te.Tensor:
            wide = [source, *(topi.broadcast_to(tensor, source.shape) for tensor in rest)]
            return te.compute(source.shape, lambda *place: function(*(tensor(*place) for tensor in wide)), name)

        return self._importer.block_builder.emit_te(each, x, *others, primfunc_name_hint=name)

    def kernel(
        self,
        factory: Callable[..., PrimFunc],
        sizes: Sequence[Hashable],
        arguments: Sequence[relax.Expr | None],
        shape: Sequence[Any],
        dtype: str = "float32",
    ) -> relax.Var:
        """Call the kernel `factory(*sizes, target_traits)` on the arguments that are not None; returns its output."""
        name = self._registry.place(self._importer, factory, (*sizes, self.kernels.target_traits))
        given = [argument for argument in arguments if argument is not None]
        return self.emit(relax.call_tir(name, given, relax.TensorType(list(shape), dtype)))

    def packed(
        self,
        pack: Callable[..., PrimFunc],
        packed_shape: Callable[..., Sequence[int]],
        sizes: Sequence[Hashable],
        weight: relax.Var,
        dtype: str = "float32",
    ) -> relax.Var:
        """The weight packed by the kernel `pack(*sizes, target_traits)`."""

        def emit() -> relax.Var:
            return self.kernel(pack, sizes, [weight], packed_shape(*sizes, self.kernels.target_traits), dtype)

        return self._registry.packed(weight, (pack, *sizes, self.kernels.target_traits), emit)

    def _arguments(self) -> list[Any]:
        """Every argument in its declared order, defaults filled in, tensors as Relax variables."""
        operator: Any = self.node.target
        declared = operator._schema.arguments
        given = self._importer.retrieve_args(self.node)
        named = {name: self._importer.env.get(value, value) for name, value in self.node.kwargs.items()}
        missing = [named.get(argument.name, argument.default_value) for argument in declared[len(given) :]]
        return [*given, *missing]


def shape_of(tensor: relax.Expr) -> list[Any]:
    """The extents of a Relax tensor, with constant ones as ints."""
    return [int(extent) if hasattr(extent, "value") else extent for extent in tensor.ty.shape.values]


def simplified(extent: Any) -> Any:
    """A symbolic extent in its simplest form, so that equal extents look equal."""
    return extent if isinstance(extent, int) else Analyzer().simplify(extent)


def int32(number: int) -> Any:
    """A number as an argument of a kernel, so that one kernel serves every number."""
    return tirx.const(number, "int32")


def linear_rows(
    call: Call, x: relax.Var, weight: relax.Var, bias: relax.Var | None = None, has_gelu: bool = False
) -> relax.Var:
    """Emit a linear layer over the last axis of `x`."""
    kernels = call.kernels.linear
    *leading, in_features = shape_of(x)
    out_features, _ = shape_of(weight)
    rows = simplified(prod(leading))
    packed = call.packed(kernels.pack_weight, kernels.packed_shape, (out_features, in_features), weight)
    flat = call.emit(relax.op.reshape(x, [rows, in_features]))
    sizes = (in_features, out_features, Epilogue(bias is not None, has_gelu=has_gelu))
    y = call.kernel(kernels.linear, sizes, [flat, packed, bias], [rows, out_features])
    return call.emit(relax.op.reshape(y, [*leading, out_features]))
