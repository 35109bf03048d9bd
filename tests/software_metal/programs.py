"""Small Relax programs compiled by TVM for Metal, in TVM's own schedules, independent of our models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

THREADS = 256


def compile_program(operation: Callable[..., Any], shapes: list[tuple], library: Path, dtype: str = "float32") -> None:
    """Write a library whose function ``main`` is the operation on arguments of these shapes.

    An extent given as a name is determined at run time.
    """
    import tvm

    target = tvm.target.Target(
        {
            "kind": "metal",
            "max_threads_per_block": THREADS,
            "max_num_threads": THREADS,
            "thread_warp_size": 32,
            "max_shared_memory_per_block": 32768,
        },
        host={"kind": "llvm"},
    )
    with target:
        module = _schedules()(_program(operation, shapes, dtype))
    tvm.compile(module, target=target).export_library(str(library))


def machine(library: Path, device):
    """Load the library on the device. Each tensor has memory of its exact size, to catch any access beyond it."""
    import tvm
    from tvm import relax

    return relax.VirtualMachine(tvm.runtime.load_module(str(library)), device, memory_cfg="naive")


def _program(operation: Callable[..., Any], shapes: list[tuple], dtype: str):
    from tvm import relax, tirx

    names = sorted({extent for shape in shapes for extent in shape if isinstance(extent, str)})
    extents = {name: tirx.Var(name, "int64") for name in names}
    arguments = [
        relax.Var(f"x{index}", relax.TensorType([extents.get(extent, extent) for extent in shape], dtype))
        for index, shape in enumerate(shapes)
    ]
    builder = relax.BlockBuilder()
    with builder.function("main", arguments):
        with builder.dataflow():
            result = builder.emit_output(builder.emit(operation(*arguments)))
        builder.emit_func_output(result)
    return builder.get()


def _schedules():
    import tvm
    from tvm import relax
    from tvm.s_tir import dlight

    class Matmul(dlight.gpu.Matmul):
        """TVM's tiled matmul; its form for Metal crashes the process."""

        def apply(self, function, target, tunable):
            generic = tvm.target.Target(
                {"kind": "opencl", "max_threads_per_block": THREADS, "max_num_threads": THREADS}
            )
            return super().apply(function, generic, tunable)

    rules = (Matmul(), dlight.gpu.Reduction(), dlight.gpu.GeneralReduction(), dlight.gpu.Fallback())
    return tvm.transform.Sequential(
        [
            relax.transform.LegalizeOps(),
            relax.transform.AnnotateTIROpPattern(),
            relax.transform.FuseOps(),
            relax.transform.FuseTIR(),
            relax.transform.DeadCodeElimination(),
            dlight.ApplyDefaultSchedule(*rules),
        ]
    )
