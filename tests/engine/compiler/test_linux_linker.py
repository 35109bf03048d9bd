import pytest

from engine.compiler.linux_linker import link_for_arm_linux
from engine.errors import CompileError
from tests.engine.compiler.elf import is_arm64_library


def test_libraries_are_for_arm_and_may_ask_for_what_they_have_not(tmp_path):
    source, library = tmp_path / "one.c", tmp_path / "one.so"
    source.write_text("int two(void); int one(void) { return two() - 1; }")
    link_for_arm_linux(str(library), [str(source)])
    assert is_arm64_library(library)


def test_what_the_linker_says_reaches_the_error(tmp_path):
    with pytest.raises(CompileError, match=r"Linking for Linux on ARM failed: .*none"):
        link_for_arm_linux(str(tmp_path / "out.so"), [str(tmp_path / "none.o")])
