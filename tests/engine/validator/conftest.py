"""Compiled kernels shared by libraries that differ in a few of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import tvm
from tvm_ffi import StructuralKey

compile_module = tvm.tirx.build


class CompiledKernels:
    """The object files of kernels, each compiled once: a stage with a fault differs from the sound one in one kernel.

    Generating machine code takes most of the time of a build.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[tuple[str, str, StructuralKey], Path] = {}

    def joined(self, module: tvm.IRModule, target: tvm.target.Target, pipeline: str) -> tvm.runtime.Module:
        """Return the code of all kernels of a module, as `tvm.tirx.build` does."""
        first, *others = (
            tvm.runtime.load_static_library(
                str(self._compiled(name.name_hint, tvm.IRModule({name: kernel}, attrs=module.attrs), target, pipeline)),
                [name.name_hint],
            )
            for name, kernel in module.functions.items()
        )
        for other in others:
            first.import_module(other)
        return first

    def _compiled(self, name: str, alone: tvm.IRModule, target: tvm.target.Target, pipeline: str) -> Path:
        key = (name, str(target), StructuralKey(alone[name]))
        if key not in self._files:
            path = self._folder / f"{len(self._files)}.o"
            compile_module(alone, target=target, pipeline=pipeline).write_to_file(str(path))
            self._files[key] = path
        return self._files[key]


@pytest.fixture(scope="module")
def kernels_are_compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compile equal kernels once for all libraries that the tests of a file build."""
    kernels = CompiledKernels(tmp_path_factory.mktemp("kernels"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tvm.tirx, "build", kernels.joined)
        yield
