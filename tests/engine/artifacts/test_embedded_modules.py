import pytest

from engine.artifacts.embedded_modules import metal_kernels, metal_libraries, metal_module
from engine.system.paths import shipped_modules_folder


@pytest.fixture(scope="module")
def module() -> bytes:
    return metal_module(next(metal_libraries(shipped_modules_folder())))


def test_every_shipped_library_for_macs_has_kernels() -> None:
    libraries = list(metal_libraries(shipped_modules_folder()))
    assert len({library.parent for library in libraries}) > 1
    for library in libraries:
        for name, text in metal_kernels(metal_module(library)).items():
            assert f"kernel void {name}(" in text


@pytest.mark.parametrize("kept", [7, 40, -1])
def test_a_module_that_is_cut_off_is_refused(module: bytes, kept: int) -> None:
    with pytest.raises(ValueError, match="cut off"):
        metal_kernels(module[:kept])


def test_a_module_with_something_behind_it_is_refused(module: bytes) -> None:
    with pytest.raises(ValueError, match="none of Metal's"):
        metal_kernels(module + b"more")
