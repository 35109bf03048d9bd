from engine.compiler.artifacts.embedded_modules import metal_kernels, metal_libraries, metal_module
from engine.system.paths import shipped_modules_folder
from tests.metal_kernels import write_kernels


def test_every_kernel_that_is_shipped_is_written_once(tmp_path):
    written = write_kernels(tmp_path / "kernels")
    libraries = metal_libraries(shipped_modules_folder())
    texts = {text for library in libraries for text in metal_kernels(metal_module(library)).values()}
    assert {path.read_text(encoding="utf-8") for path in written} == texts
    assert len(written) == len(texts)


def test_a_kernel_is_named_after_its_function(tmp_path):
    for path in write_kernels(tmp_path):
        name, _, _ = path.stem.rpartition("-")
        assert f"kernel void {name}(" in path.read_text(encoding="utf-8")


def test_matrices_of_apples_gpus_are_among_them(tmp_path):
    """Kernels that a hosted Mac can compile but not run."""
    texts = [path.read_text(encoding="utf-8") for path in write_kernels(tmp_path)]
    with_matrices = [text for text in texts if "simdgroup_float8x8" in text]
    assert 0 < len(with_matrices) < len(texts)
