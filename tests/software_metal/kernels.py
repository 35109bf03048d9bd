"""Small Metal kernels in TVM's style, for tests of the code that runs them."""

from __future__ import annotations

import numpy as np

from tests.software_metal.metal_module import MetalKernel


def text(body: str, buffers: int = 1, element: str = "float", scalars: str = "") -> str:
    """Return a kernel ``k`` with buffers b0, b1, ..., its argument structure's members, and 1-D positions."""
    parameters = [f"device {element}* b{index} [[ buffer({index}) ]]" for index in range(buffers)]
    if scalars:
        parameters.append(f"constant k_args_t& arg [[ buffer({buffers}) ]]")
    parameters += [
        "uint blockIdx [[threadgroup_position_in_grid]]",
        "uint threadIdx [[thread_position_in_threadgroup]]",
    ]
    structure = f"struct k_args_t {{\n  {scalars}\n}};\n" if scalars else ""
    listed = ",\n  ".join(parameters)
    return f"#include <metal_stdlib>\nusing namespace metal;\n{structure}\nkernel void k(  {listed}\n) {{\n{body}\n}}\n"


def kernel(
    body: str, buffers: int = 1, element: str = "float", scalars: str = "", types: tuple[str, ...] = ()
) -> MetalKernel:
    """Return the kernel of :func:`text`, ready to run; ``types`` are its scalars'."""
    return MetalKernel("k", text(body, buffers, element, scalars), ["handle"] * buffers + list(types))


def tensor(device, values):
    """Return a tensor on the device, with the values of a list or an array (lists are float32)."""
    import tvm

    array = np.asarray(values, "float32") if isinstance(values, list) else values
    return tvm.runtime.tensor(np.ascontiguousarray(array), device)
