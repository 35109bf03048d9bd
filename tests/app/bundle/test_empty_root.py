import os
import shutil
import sys
from pathlib import Path

import pytest

from app.bundle.empty_root import PLACE, make_empty_root, run_inside

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="making a root needs the rights of root on Linux"
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    make_empty_root(root)
    return root


def test_there_is_no_python_no_compiler_and_no_shell(root: Path) -> None:
    programs = [
        path.name for path in root.rglob("*") if path.is_file() and ".so" not in path.name and os.access(path, os.X_OK)
    ]
    assert programs == []
    assert not list(root.rglob("*python*"))


def test_a_program_sees_this_root_alone_and_cannot_change_the_bundle(root: Path, tmp_path: Path) -> None:
    shutil.copy("/bin/ls", tmp_path / "ls")
    shutil.copy("/bin/touch", tmp_path / "touch")
    for library in ("libselinux.so.1", "libpcre2-8.so.0"):
        for folder in ("lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"):
            if (Path("/") / folder / library).exists():
                shutil.copy(Path("/") / folder / library, root / folder / library)
    seen = run_inside(root, tmp_path, [f"{PLACE}/ls", "/"], {})
    assert seen.returncode == 0, seen.stderr
    assert not {"usr", "work", "root"} & set(seen.stdout.split()) - {"usr"}
    written = run_inside(root, tmp_path, [f"{PLACE}/touch", f"{PLACE}/new"], {})
    assert written.returncode != 0
    assert "Read-only" in written.stderr
