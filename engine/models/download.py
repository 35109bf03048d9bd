"""Downloads pinned files with the hub's own client, in a child process, which ends immediately if canceled.

Only this module and pip, which `engine.models.packages` starts, use the network. A partial file is stored for the next
attempt, unless its content is wrong.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from engine.errors import DownloadError, EngineError, StorageError
from engine.models.catalog import PinnedFile, is_file_with
from engine.models.progress import ModelActivity, OnProgress

ENVIRONMENT: Mapping[str, str] = {
    "HF_HUB_OFFLINE": "0",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_XET": "1",  # its chunks can't be resumed by position
    "HF_HUB_VERBOSITY": "error",
}
PARTIAL_SUFFIX = ".part"
CHUNK_BYTES = 1 << 16
"""The maximum loss from an interruption; the client's default is 10 MB."""
UNREACHABLE_HINT = "Check your internet connection, then try again. The partial download is saved."
_RETRY_HINT = "Try again. The partial download is saved."
_LATER_HINT = "Try again in a few minutes. The partial download is saved."
_NOT_FOUND, _TOO_MANY_REQUESTS, _SERVER_ERRORS = 404, 429, 500


@dataclass(frozen=True)
class Download:
    """A download job: files of a repository at one commit, and the destination folder."""

    repository: str
    revision: str
    files: tuple[PinnedFile, ...]
    folder: Path

    def received(self, file: PinnedFile) -> Path:
        """Return the path of a file once it is downloaded and verified."""
        return self.folder / file.path

    def partial(self, file: PinnedFile) -> Path:
        """Return the path of a partially downloaded file."""
        return self.folder / f"{file.path}{PARTIAL_SUFFIX}"

    def bytes_received(self) -> int:
        """Return the total size of the downloaded data, verified or not."""
        paths = [path for file in self.files for path in (self.received(file), self.partial(file))]
        return sum(path.stat().st_size for path in paths if path.is_file())


def download(order: Download, on_progress: OnProgress) -> dict[str, Path]:
    """Download the missing files; return the paths of all, verified by digest, in the hub's cache or the folder.

    Raises `DownloadError` or `StorageError`.
    """
    total = sum(file.bytes for file in order.files)
    paths: dict[str, Path] = {}
    before = 0
    for file in order.files:
        start = before

        def show(done: int, start: int = start) -> None:
            on_progress(ModelActivity.FETCHING, start + done, total)

        try:
            paths[file.path] = _present(order, file) or _fetched(order, file, show)
        except OSError as error:
            raise _storage_error(order.folder, error) from error
        before += file.bytes
        show(file.bytes)
    return paths


def _present(order: Download, file: PinnedFile) -> Path | None:
    """Return the path of a file downloaded earlier, by any program, if its digest is right."""
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(order.repository, file.path, revision=order.revision)
    paths = [order.received(file), *([Path(cached)] if isinstance(cached, str) else [])]
    return next((path for path in paths if is_file_with(path, file.bytes, file.sha256)), None)


def _fetched(order: Download, file: PinnedFile, show: Callable[[int], None]) -> Path:
    partial = order.partial(file)
    partial.parent.mkdir(parents=True, exist_ok=True)
    if not partial.is_file() or partial.stat().st_size < file.bytes:
        _receive(order, file, show)
    if not is_file_with(partial, file.bytes, file.sha256):
        partial.unlink()
        raise DownloadError(
            f"The downloaded {file.path} doesn’t match the expected checksum.",
            "Try again. If that doesn’t help, something between this computer and the hub modifies downloads.",
        )
    return partial.replace(order.received(file))


def _receive(order: Download, file: PinnedFile, show: Callable[[int], None]) -> None:
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

    partial = order.partial(file)
    try:
        url = _checked_url(order, file)
        with partial.open("ab") as stream:
            _get(url, file, _Sink(stream, file, show))
    except HfHubHTTPError as error:
        raise _answer_error(file, error.response.status_code) from error
    except (httpx2.ConnectError, httpx2.ConnectTimeout, socket.gaierror, ConnectionRefusedError) as error:
        raise DownloadError("The model hub can’t be reached.", UNREACHABLE_HINT) from error
    except (httpx2.HTTPError, ConnectionError, TimeoutError) as error:
        raise DownloadError("The connection to the model hub was lost.", _RETRY_HINT) from error
    except _WrongLength as error:
        partial.unlink()
        raise _wrong_length(file) from error


def _checked_url(order: Download, file: PinnedFile) -> str:
    """Return the URL of the file. Raises `DownloadError` if the hub describes a different file."""
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    url = hf_hub_url(order.repository, file.path, revision=order.revision)
    metadata = get_hf_file_metadata(url, token=False)
    if metadata.commit_hash is None:
        raise DownloadError(
            f"The response from {url} isn’t from the model hub.",
            "You may need to sign in to your network first: open a browser, then try again.",
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
        if error.errno is None and not hasattr(error, "response"):  # the client's length check
            raise _WrongLength from error
        raise


@contextmanager
def _small_chunks() -> Iterator[None]:
    from huggingface_hub import constants

    default = constants.DOWNLOAD_CHUNK_SIZE
    constants.DOWNLOAD_CHUNK_SIZE = CHUNK_BYTES
    try:
        yield
    finally:
        constants.DOWNLOAD_CHUNK_SIZE = default


class _WrongLength(Exception):
    """A download whose size differs from the file's."""


class _Sink:
    """A file being downloaded: the methods that the hub's client calls, with progress and a size limit."""

    def __init__(self, stream: BinaryIO, file: PinnedFile, show: Callable[[int], None]) -> None:
        self._stream = stream
        self._limit = file.bytes
        self._show = show

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self._stream.tell()

    def seek(self, position: int) -> int:
        """Move back, as the client does when the hub resends the file from its start."""
        return self._stream.seek(position)

    def truncate(self) -> int:
        """Remove everything after the current position."""
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
        f"{file.path} on the model hub doesn’t match the expected checksum.",
        "Try again later, or look for a newer version of Kokoro Desk.",
    )


def _answer_error(file: PinnedFile, status: int) -> DownloadError:
    if status == _NOT_FOUND:
        return DownloadError(
            f"The model hub doesn’t have {file.path} (404).", "Look for a newer version of Kokoro Desk."
        )
    if status == _TOO_MANY_REQUESTS:
        return DownloadError("The model hub has too many requests right now (429).", _LATER_HINT)
    if status >= _SERVER_ERRORS:
        return DownloadError(f"The model hub isn’t working right now ({status}).", _LATER_HINT)
    return DownloadError(f"The model hub denied access to {file.path} (HTTP {status}).", _LATER_HINT)


def _storage_error(folder: Path, error: OSError) -> EngineError:
    return StorageError(
        f"The folder {folder} can’t be written to ({error.strerror or error}).",
        "Free up some space there, or make it writable.",
    )
