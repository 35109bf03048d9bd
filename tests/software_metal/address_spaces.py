"""Checks types and address spaces of Metal text with clang's OpenCL C++ front end. It is independent of running it.

Apple's compiler keeps device, threadgroup, thread and constant pointers apart; so does OpenCL. Both name the four
spaces, so that the text only needs different words for them, and a pointer where Metal has a reference as argument.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

HEADER = Path(__file__).with_name("address_spaces.h")
COMMAND = ("clang", "-x", "clcpp", "-cl-std=CLC++2021", "--target=spir64")
OPENCL_ONLY = re.compile(r"\b(local|global|private|generic)\b")  # plain names in Metal
REFERENCE = re.compile(r"constant (\w+)& (\w+)")


def complaints(*texts: str) -> str:
    """Return the front end's errors in the Metal text of kernels; empty if there are none."""
    command = [*COMMAND, "-fsyntax-only", "-w", "-include", str(HEADER), "-"]
    together = "".join(f"namespace text_{index} {{\n{as_opencl(text)}\n}}\n" for index, text in enumerate(texts))
    done = subprocess.run(command, input=together, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr


def as_opencl(metal: str) -> str:
    """Return the text in OpenCL's words."""
    text = metal.replace("#include <metal_stdlib>", "").replace("using namespace metal;", "")
    names = [match[2] for match in REFERENCE.finditer(text)]
    text = REFERENCE.sub(r"constant \1* \2_pointer", text)
    for name in names:
        text = re.sub(rf"\b{name}\.", f"{name}_pointer->", text)
    return OPENCL_ONLY.sub(r"\1_", re.sub(r"\[\[.*?\]\]", "", text))
