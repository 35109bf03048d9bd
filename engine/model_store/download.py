"""Fetches pinned files with the hub's own client; run with `-m`, the plan on standard input.

The only module that uses the network. What was received of a file is kept for the next time, unless it is wrong. It
does not know what the files hold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from engine.errors import DownloadError, EngineError, StorageError
from engine.model_store.catalogue import PinnedFile
from engine.model_store.digests import sha256_of
from engine.model_store.progress import Activity
from engine.model_store.worker import OnProgress, Task, serve

ENVIRONMENT: Mapping[str, str] = {
    "HF_HUB_OFFLINE": "0",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_XET": "1",  # its chunks could not be resumed by position
    "HF_HUB_VERBOSITY": "error",
}
PARTIAL_SUFFIX = ".part"
CHUNK_BYTES = 1 << 16
"""What an interruption loses at most; the client's own chunks are of 10 MB."""
_RETRY_HINT = "Try it again; what was received is kept."
_LATER_HINT = "Try it again in some minutes; what was received is kept."
_NOT_FOUND, _TOO_MANY_REQUESTS, _SERVER_ERRORS = 404, 429, 500


@dataclass(frozen=True)
class Download:
    """Files of a repository at one commit, and the folder they are received in."""

    repository: str
    revision: str
    files: tuple[PinnedFile, ...]
    folder: Path

    def task(self) -> Task:
        """The task of a child process that does this."""
        files = [[file.path, file.bytes, file.sha256] for file in self.files]
        plan = {"repository": self.repository, "revision": self.revision, "files": files, "folder": str(self.folder)}
        return Task(__name__, plan, ENVIRONMENT)

    @classmethod
    def from_plan(cls, plan: Mapping[str, Any]) -> Download:
        """The order with this plan, made by `task`."""
        files = tuple(PinnedFile(*file) for file in plan["files"])
        return cls(plan["repository"], plan["revision"], files, Path(plan["folder"]))

    def received(self, file: PinnedFile) -> Path:
        """Where a file is once it is received and right."""
        return self.folder / file.path

    def partial(self, file: PinnedFile) -> Path:
        """Where a file is while it is received."""
        return self.folder / f"{file.path}{PARTIAL_SUFFIX}"

    def bytes_received(self) -> int:
        """What is there of all files, right or not."""
        paths = [path for file in self.files for path in (self.received(file), self.partial(file))]
        return sum(path.stat().st_size for path in paths if path.is_file())


def download(order: Download, on_progress: OnProgress) -> dict[str, str]:
    """The paths of all files, right to the last bit: in the hub's own cache, else in the folder.

    Raises `DownloadError` or `StorageError`.
    """
    total = sum(file.bytes for file in order.files)
    paths: dict[str, str] = {}
    before = 0
    for file in order.files:
        start = before

        def show(done: int, start: int = start) -> None:
            on_progress(Activity.FETCHING, start + done, total)

        try:
            paths[file.path] = str(_present(order, file) or _fetched(order, file, show))
        except OSError as error:
            raise _storage_error(order.folder, error) from error
        before += file.bytes
        show(file.bytes)
    return paths


def _present(order: Download, file: PinnedFile) -> Path | None:
    """A file that was received before, by this program or another one, if it is the right one."""
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(order.repository, file.path, revision=order.revision)
    paths = [order.received(file), *([Path(cached)] if isinstance(cached, str) else [])]
    return next((path for path in paths if _is_right(path, file)), None)


def _is_right(path: Path, file: PinnedFile) -> bool:
    try:
        return path.stat().st_size == file.bytes and sha256_of(path) == file.sha256
    except OSError:
        return False


def _fetched(order: Download, file: PinnedFile, show: Callable[[int], None]) -> Path:
    partial = order.partial(file)
    partial.parent.mkdir(parents=True, exist_ok=True)
    if not partial.is_file() or partial.stat().st_size < file.bytes:
        _receive(order, file, show)
    if not _is_right(partial, file):
        partial.unlink()
        raise DownloadError(
            f"What was received as {file.path} is not the published file.",
            "Try it again; if it stays so, something between this computer and the hub changes files.",
        )
    return partial.replace(order.received(file))


def _receive(order: Download, file: PinnedFile, show: Callable[[int], None]) -> None:
    """Append what is missing of a file, as the hub's client does."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    partial = order.partial(file)
    try:
        url = _checked_url(order, file)
        with partial.open("ab") as stream:
            _get(url, file, _Sink(stream, file, show))
    except HfHubHTTPError as error:
        raise _answer_error(file, error.response.status_code) from error
    except httpx2.HTTPError as error:
        raise DownloadError(f"The connection to the hub failed ({error}).", _RETRY_HINT) from error
    except _WrongLength as error:
        partial.unlink()
        raise _wrong_length(file) from error


def _checked_url(order: Download, file: PinnedFile) -> str:
    """Where the file is; raises `DownloadError` when the hub says that it is another one."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    url = hf_hub_url(order.repository, file.path, revision=order.revision)
    metadata = get_hf_file_metadata(url, token=False)
    if metadata.commit_hash is None:
        raise DownloadError(
            f"What answered at {url} is no model hub.",
            "A page to log in to the network may be in between: open a browser, then try it again.",
        )
    if metadata.commit_hash != order.revision or metadata.size not in (None, file.bytes):
        raise _wrong_length(file)
    return url


def _get(url: str, file: PinnedFile, sink: _Sink) -> None:
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils._headers import build_hf_headers
    from huggingface_hub.utils.tqdm import silent_tqdm

    try:
        with _small_chunks():
            http_get(
                url,
                cast("BinaryIO", sink),
                resume_size=sink.tell(),
                headers={**build_hf_headers(token=False), "Accept-Encoding": "identity"},
                expected_size=file.bytes,
                displayed_filename=file.path,
                tqdm_class=cast("Any", silent_tqdm),
            )
    except OSError as error:
        if error.errno is None and not hasattr(error, "response"):  # the client's own check of the length
            raise _WrongLength from error
        raise


@contextmanager
def _small_chunks() -> Iterator[None]:
    from huggingface_hub import constants

    usual = constants.DOWNLOAD_CHUNK_SIZE
    constants.DOWNLOAD_CHUNK_SIZE = CHUNK_BYTES
    try:
        yield
    finally:
        constants.DOWNLOAD_CHUNK_SIZE = usual


class _WrongLength(Exception):
    """More or less came than the file has."""


class _Sink:
    """A file being received: what the hub's client needs of one, with progress and a limit."""

    def __init__(self, stream: BinaryIO, file: PinnedFile, show: Callable[[int], None]) -> None:
        self._stream = stream
        self._limit = file.bytes
        self._show = show

    def tell(self) -> int:
        """Bytes so far."""
        return self._stream.tell()

    def seek(self, position: int) -> int:
        """Go back, when the hub sends the file from its start after all."""
        return self._stream.seek(position)

    def truncate(self) -> int:
        """Forget what follows."""
        return self._stream.truncate()

    def write(self, chunk: bytes) -> int:
        """Append a chunk."""
        if self.tell() + len(chunk) > self._limit:
            raise _WrongLength
        count = self._stream.write(chunk)
        self._show(self.tell())
        return count


def _wrong_length(file: PinnedFile) -> DownloadError:
    return DownloadError(
        f"The hub offers another file as {file.path} than the published one.",
        "Try it again later, or look for a newer version of this program.",
    )


def _answer_error(file: PinnedFile, status: int) -> DownloadError:
    if status == _NOT_FOUND:
        return DownloadError(f"The hub has no {file.path} (404).", "Look for a newer version of this program.")
    if status == _TOO_MANY_REQUESTS:
        return DownloadError("The hub is asked for too much at present (429).", _LATER_HINT)
    if status >= _SERVER_ERRORS:
        return DownloadError(f"The hub is out of order at present ({status}).", _LATER_HINT)
    return DownloadError(f"The hub refuses {file.path} ({status}).", _LATER_HINT)


def _storage_error(folder: Path, error: OSError) -> EngineError:
    return StorageError(
        f"The folder {folder} cannot be written ({error.strerror or error}).", "Make space there or make it writable."
    )


def main() -> int:
    """Do the plan on standard input."""
    return serve(lambda plan, on_progress: {"paths": download(Download.from_plan(plan), on_progress)})


if __name__ == "__main__":
    sys.exit(main())
