"""Every module has its test file at the mirrored path."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = {
    "engine/stages.py": "tests/architecture/test_stages.py",
}


def modules() -> list[str]:
    found = [path.relative_to(ROOT) for package in ("engine", "app") for path in (ROOT / package).rglob("*.py")]
    return sorted(path.as_posix() for path in found if path.name != "__init__.py")


@pytest.mark.parametrize("module", modules())
def test_module_has_a_test_file(module: str) -> None:
    path = Path(module)
    mirrored = Path("tests") / path.parent / f"test_{path.stem.strip('_')}.py"
    assert (ROOT / ELSEWHERE.get(module, mirrored.as_posix())).is_file()
