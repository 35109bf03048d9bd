"""The symbols that a library may leave undefined on a Mac: the C names of TVM's two libraries and of the system."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import yaml

LIST = Path(__file__).with_name("mac_symbols.txt")
SYSTEM_STUB = "lib/libc/darwin/libSystem.tbd"
PROCESSORS = {"arm64-macos", "arm64e-macos"}


def tvm_symbols() -> dict[str, set[str]]:
    """The C names that each package's library exports, by package and version."""
    symbols: dict[str, set[str]] = {}
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            names = symbols.setdefault(line.strip("[]"), set())
        elif line and not line.startswith("#"):
            names.add(line)
    return symbols


def provided_symbols() -> set[str]:
    """All that there is when a library is loaded."""
    return system_symbols().union(*tvm_symbols().values())


def system_symbols() -> set[str]:
    """The exports of libSystem on Apple silicon, from Apple's own description, which Zig links with."""
    stub = files("ziglang").joinpath(SYSTEM_STUB).read_text(encoding="utf-8")
    return {
        name
        for library in yaml.load_all(stub, Loader=_Stub)
        for group in [*library.get("exports", []), *library.get("reexports", [])]
        if PROCESSORS & set(group["targets"])
        for name in [*group.get("symbols", []), *group.get("weak-symbols", [])]
    }


class _Stub(yaml.CSafeLoader):
    """Of the kind that Apple's tools write."""


_Stub.add_constructor("!tapi-tbd", yaml.CSafeLoader.construct_yaml_map)
