import hashlib
import random
import socket
import threading
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from engine.errors import Canceled, DownloadError, StorageError
from engine.models.download import CHUNK_BYTES, ENVIRONMENT, Download, download
from engine.models.progress import ModelActivity
from engine.system.remote import call
from tests.engine.full_disk import full_disk
from tests.engine.models.published import CHECKPOINT_NAME, Published
from tests.engine.models.stand_in_hub import Fault, StandInHub
from tests.patience import wait_until


@pytest.fixture
def order(published: Published, tmp_path: Path) -> Download:
    entry = published.entry
    return Download(entry.repository, entry.revision, entry.files, tmp_path / "received")


def ignore(activity: ModelActivity, done: int, total: int) -> None:
    """Ignore the report."""


def assert_all_right(paths: dict[str, Path], published: Published) -> None:
    assert {name: path.read_bytes() for name, path in paths.items()} == published.files


def test_all_files_are_downloaded_with_progress(hub: StandInHub, order: Download, published: Published) -> None:
    seen: list[tuple[int, int]] = []
    assert_all_right(download(order, lambda activity, done, total: seen.append((done, total))), published)
    assert seen == sorted(seen)
    assert seen[-1] == (published.entry.bytes, published.entry.bytes)
    assert len(seen) > published.entry.bytes / CHUNK_BYTES


def test_downloaded_files_are_not_downloaded_again(hub: StandInHub, order: Download) -> None:
    download(order, ignore)
    hub.requests.clear()
    download(order, ignore)
    assert hub.requests == []


def test_a_download_interrupted_at_random_points_resumes_each_time(
    hub: StandInHub, order: Download, published: Published, tmp_path: Path
) -> None:
    size = published.entry.files[0].bytes
    points = sorted(random.Random(0).sample(range(CHUNK_BYTES, size), 4))
    for point in points:
        hub.faults[:] = [Fault(CHECKPOINT_NAME, stall_after=point)]
        be_interrupted(hub, order, tmp_path / "received", point - 2 * CHUNK_BYTES)
    hub.faults.clear()
    paths = call(download, order, ignore, environment=ENVIRONMENT)
    assert_all_right(paths, published)
    ranges = [int(given.removeprefix("bytes=").rstrip("-") or 0) for given in hub.bytes_asked_for(CHECKPOINT_NAME)]
    assert ranges == sorted(ranges)
    assert sum(start > 0 for start in ranges) >= 2


def be_interrupted(hub: StandInHub, order: Download, folder: Path, written: int) -> None:
    """End the downloading process, as a crash would, once it has requested a file and written `written` bytes."""
    cancel, asked_before = threading.Event(), len(hub.bytes_asked_for(CHECKPOINT_NAME))

    def has_come_so_far() -> bool:
        return len(hub.bytes_asked_for(CHECKPOINT_NAME)) > asked_before and max_file_bytes(folder) >= written

    def interrupt() -> None:
        wait_until(has_come_so_far, f"{written} bytes")
        cancel.set()

    threading.Thread(target=interrupt).start()
    with pytest.raises(Canceled):
        call(download, order, ignore, cancel=cancel, environment=ENVIRONMENT)


def max_file_bytes(folder: Path) -> int:
    sizes = [0]
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            sizes.append(path.stat().st_size if path.is_file() else 0)
    return max(sizes)


def test_a_connection_that_breaks_is_taken_up_again_by_itself(
    hub: StandInHub, order: Download, published: Published
) -> None:
    hub.faults.append(Fault(CHECKPOINT_NAME, cut_after=300_000, times=1))
    assert_all_right(download(order, ignore), published)
    first, second = hub.bytes_asked_for(CHECKPOINT_NAME)
    assert first == ""
    assert 300_000 - CHUNK_BYTES <= int(second.removeprefix("bytes=").rstrip("-")) <= 300_000


def test_a_broken_connection_preserves_received_bytes(hub: StandInHub, order: Download, published: Published) -> None:
    hub.faults.append(Fault(CHECKPOINT_NAME, cut_after=300_000))
    with pytest.raises(DownloadError, match=r"connection to the model hub was lost.*partial download is saved"):
        download(order, ignore)
    assert order.bytes_received() >= 300_000 - CHUNK_BYTES
    hub.faults.clear()
    hub.requests.clear()
    assert_all_right(download(order, ignore), published)
    assert hub.bytes_asked_for(CHECKPOINT_NAME)[0] != ""


def test_a_hub_without_resume_support_sends_the_file_from_the_start(
    hub: StandInHub, order: Download, published: Published
) -> None:
    hub.faults += [Fault(CHECKPOINT_NAME, cut_after=300_000, times=1), Fault(CHECKPOINT_NAME, ignore_range=True)]
    assert_all_right(download(order, ignore), published)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(CHECKPOINT_NAME, 404, "*"), r"\(404\).*newer version"),
        (Fault(CHECKPOINT_NAME, 404), r"\(404\).*newer version"),
        (Fault(CHECKPOINT_NAME, 429, "*"), r"too many requests.*a few minutes"),
        (Fault(CHECKPOINT_NAME, 429), r"too many requests.*a few minutes"),
        (Fault(CHECKPOINT_NAME, 500, "*"), r"hub isn’t working.*a few minutes"),
        (Fault("af_heart.pt", 503), r"hub isn’t working.*a few minutes"),
        (Fault(CHECKPOINT_NAME, 403, "*"), r"denied access"),
        (Fault(CHECKPOINT_NAME, method="*", html=True), r"isn’t from the model hub.*sign in"),
        (Fault(CHECKPOINT_NAME, html=True), r"expected checksum"),
        (Fault(CHECKPOINT_NAME, body=b"x" * 2_000_000), r"expected checksum"),
        (Fault(CHECKPOINT_NAME, flip_at=200_000), r"expected checksum"),
        (Fault("af_heart.pt", flip_at=100), r"expected checksum"),
    ],
)
def test_a_hub_fault_is_reported_in_one_sentence_and_a_retry_succeeds(
    hub: StandInHub, order: Download, published: Published, fault: Fault, words: str
) -> None:
    fault.times = 1_000_000
    hub.faults.append(fault)
    with pytest.raises(DownloadError, match=words):
        download(order, ignore)
    hub.faults.clear()
    assert_all_right(download(order, ignore), published)


def test_a_commit_other_than_the_pinned_one_is_refused(hub: StandInHub, order: Download) -> None:
    hub.commit = "f" * 40
    with pytest.raises(DownloadError, match="expected checksum"):
        download(order, ignore)


def test_a_missing_connection_is_reported(order: Download, hub: StandInHub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    nowhere = "http://127.0.0.1:9/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", nowhere)
    with pytest.raises(DownloadError, match=r"^The model hub can’t be reached\. Check your internet connection"):
        download(order, ignore)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), r"^The model hub can’t be reached\. Check your"),
        (ConnectionRefusedError(111, "Connection refused"), r"^The model hub can’t be reached\. Check your"),
        (ConnectionResetError(104, "Connection reset by peer"), r"^The connection to the model hub was lost\. "),
        (TimeoutError("timed out"), r"^The connection to the model hub was lost\. "),
    ],
)
def test_network_errors_of_the_system_are_reported_plainly(
    error: OSError, words: str, order: Download, hub: StandInHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("huggingface_hub.get_hf_file_metadata", fail)
    with pytest.raises(DownloadError, match=words):
        download(order, ignore)


def test_the_hubs_own_cache_is_used_without_asking(
    hub: StandInHub, order: Download, published: Published, tmp_path: Path
) -> None:
    from huggingface_hub import hf_hub_download

    for file in order.files:
        hf_hub_download(order.repository, file.path, revision=order.revision, token=False)
    hub.requests.clear()
    paths = download(order, ignore)
    assert_all_right(paths, published)
    assert all(path.is_relative_to(tmp_path / "hub_home") for path in paths.values())
    assert hub.requests == []


def test_a_wrong_file_in_the_hubs_cache_is_not_used(hub: StandInHub, order: Download, published: Published) -> None:
    from huggingface_hub import hf_hub_download

    cached = Path(hf_hub_download(order.repository, CHECKPOINT_NAME, revision=order.revision, token=False))
    content = bytearray(cached.read_bytes())
    content[1000] ^= 1
    cached.write_bytes(content)
    assert_all_right(download(order, ignore), published)


def test_a_folder_that_cannot_be_written_is_named(hub: StandInHub, published: Published, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    order = Download(published.entry.repository, published.entry.revision, published.entry.files, tmp_path / "file")
    with pytest.raises(StorageError, match=r"be written.*writable"):
        download(order, ignore)


def test_a_full_disk_is_reported(hub: StandInHub, order: Download, published: Published) -> None:
    with full_disk(100_000), pytest.raises(StorageError, match=r"be written.*Free up some space"):
        download(order, ignore)
    assert_all_right(download(order, ignore), published)


def test_no_credentials_are_sent(hub: StandInHub, order: Download, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    sent: list[httpx2.Headers] = []
    original = httpx2.Client.send

    def send(client: httpx2.Client, request: httpx2.Request, **options: object) -> httpx2.Response:
        sent.append(request.headers)
        return original(client, request, **options)

    monkeypatch.setattr(httpx2.Client, "send", send)
    download(order, ignore)
    assert sent
    assert not any("authorization" in headers for headers in sent)


def test_digests_are_those_of_the_contents(order: Download, published: Published) -> None:
    assert [file.sha256 for file in order.files] == [
        hashlib.sha256(content).hexdigest() for content in published.files.values()
    ]
