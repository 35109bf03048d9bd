"""Tests mirror the packages: each with modules has its folder of tests, and each such folder has its package."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(
    path.parent.relative_to(ROOT)
    for package in ("engine", "app")
    for path in (ROOT / package).rglob("__init__.py")
    if list(path.parent.glob("*.py")) != [path]
)


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_a_package_has_its_folder_of_tests(package: Path) -> None:
    assert list((ROOT / "tests" / package).glob("test_*.py"))


def test_every_folder_of_tests_has_its_package() -> None:
    tests = {
        path.parent.relative_to(ROOT / "tests")
        for top in ("engine", "app")
        for path in (ROOT / "tests" / top).rglob("test_*.py")
    }
    assert tests == set(PACKAGES)
