"""Translates Metal kernels, as TVM writes them, to C++ for the shim in msl.h. It is independent of compilers.

Lines keep their numbers, so that messages about a line apply to the Metal text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SCALAR_BYTES = {
    "bool": 1,
    "char": 1,
    "uchar": 1,
    "short": 2,
    "ushort": 2,
    "half": 2,
    "int": 4,
    "uint": 4,
    "float": 4,
    "long": 8,
    "ulong": 8,
}
ALIGNMENT = 16
THREADGROUP_ARRAY = re.compile(r"\bthreadgroup (\w+) (\w+)\[(\d+)\];")
VECTOR_POINTER = re.compile(r"\((?:device|threadgroup|thread|constant) ([a-z]+[234])\*\)")
PARAMETER = re.compile(
    r"(?P<type>.+?)\s*(?P<name>\w+)\s*\[\[\s*(?P<attribute>\w+)(?:\((?P<index>\d+)\))?\s*\]\]", re.DOTALL
)
POSITIONS = {"threadgroup_position_in_grid": "group_position", "thread_position_in_threadgroup": "thread_position"}


@dataclass(frozen=True)
class Translation:
    """The C++ text of one kernel, with the data that its launcher needs."""

    text: str
    threadgroup_bytes: int
    synchronizes: bool


def translate(name: str, metal: str) -> Translation:
    """Translate a kernel; raises ValueError if the text is not as TVM writes it."""
    signature = re.search(rf"kernel void {re.escape(name)}\((.*?)\) \{{", metal, re.DOTALL)
    if signature is None:
        raise ValueError(f"no kernel {name} in the Metal text")
    arguments = [_argument(parameter) for parameter in _parameters(signature[1])]
    start, end = signature.span()
    body, threadgroup_bytes = _place_threadgroup_arrays(metal[end:])
    body = VECTOR_POINTER.sub(r"software_metal_aligned<\1>", body)
    synchronizes = re.search(r"\b(threadgroup_barrier|simdgroup_\w+|simd_\w+)\(", body) is not None
    head = metal[:start].replace("#include <metal_stdlib>", '#include "msl.h"')
    parameters = re.sub(r"\[\[.*?\]\]", "", signature[1])
    text = f"{head}kernel void {name}(char* software_metal_memory, {parameters}) {{{body}\n"
    return Translation(text + _entry(name, arguments, threadgroup_bytes, synchronizes), threadgroup_bytes, synchronizes)


def _parameters(signature: str) -> list[re.Match[str]]:
    texts = [text for text in re.split(r",\s*(?![^\[]*\]\])", signature) if text.strip()]
    found = [PARAMETER.fullmatch(text.strip()) for text in texts]
    if not all(found):
        raise ValueError(f"a parameter of a kernel is not as TVM writes it: {signature}")
    return [match for match in found if match is not None]


def _argument(parameter: re.Match[str]) -> str:
    kind = parameter["type"].strip()
    if parameter["attribute"] == "buffer" and kind.endswith("&"):
        plain = kind.removesuffix("&").removeprefix("constant").strip()
        return f"*static_cast<const {plain}*>(call->scalars)"
    if parameter["attribute"] == "buffer":
        return f"({kind})call->buffers[{parameter['index']}]"
    position = f"call->{POSITIONS[parameter['attribute']]}"
    width = int(kind.removeprefix("uint") or 1)
    return f"{kind}({', '.join(f'{position}[{axis}]' for axis in range(width))})"


def _place_threadgroup_arrays(body: str) -> tuple[str, int]:
    """Turn declarations of threadgroup arrays into pointers to threadgroup memory; return the text and their bytes."""
    used = 0

    def place(declaration: re.Match[str]) -> str:
        nonlocal used
        kind, name, count = declaration[1], declaration[2], int(declaration[3])
        first = -(-used // ALIGNMENT) * ALIGNMENT
        used = first + count * type_bytes(kind)
        return f"{kind}* {name} = reinterpret_cast<{kind}*>(software_metal_memory + {first});"

    return THREADGROUP_ARRAY.sub(place, body), used


def type_bytes(kind: str) -> int:
    """Return the size in bytes of a scalar or vector type; a vector of three takes as much as one of four."""
    scalar, lanes = re.fullmatch(r"([a-z]+)([234]?)", kind).groups()
    return SCALAR_BYTES[scalar] * {"": 1, "2": 2, "3": 4, "4": 4}[lanes]


def _entry(name: str, arguments: list[str], threadgroup_bytes: int, synchronizes: bool) -> str:
    passed = ", ".join(["call->threadgroup_memory", *arguments])
    return f"""
#define ENTRY extern "C" __attribute__((no_sanitize("thread")))
extern "C" const unsigned software_metal_threadgroup_bytes = {threadgroup_bytes};
extern "C" const unsigned software_metal_synchronises = {int(synchronizes)};
ENTRY void software_metal_thread(const Invocation* call) {{ {name}({passed}); }}
"""
