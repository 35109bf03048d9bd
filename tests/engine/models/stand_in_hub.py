"""A model hub on this machine's loopback, for the real client, that can misbehave on request.

Like the real one it redirects a request for a file to a different host, and its answer already identifies the file.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

REPOSITORY = "someone/some-model"
REVISION = "0123456789abcdef0123456789abcdef01234567"
_CHUNK_BYTES = 1 << 14
_RESOLVE = f"/{REPOSITORY}/resolve/{REVISION}/"
_CONTENT = "/content/"


@dataclass
class Fault:
    """A deviation from the right answer; `path` is the end of the file's path, `times` the number of occurrences.

    `after` bytes are sent before the connection is closed or the bytes are changed; a stalled one stays open.
    """

    path: str = ""
    status: int = 200
    method: str = "GET"
    body: bytes | None = None
    html: bool = False
    cut_after: int | None = None
    stall_after: int | None = None
    flip_at: int | None = None
    ignore_range: bool = False
    times: int = 1_000_000


@dataclass
class StandInHub:
    """The files of one repository, the faults in force, and every request received."""

    files: dict[str, bytes]
    endpoint: str = ""
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    commit: str = REVISION
    closing: threading.Event = field(default_factory=threading.Event)

    def fault_for(self, method: str, path: str) -> Fault:
        """Return the next fault for a request: the hub itself refuses, the other host corrupts its content."""
        for fault in self.faults:
            refuses = fault.html or fault.status != 200
            fits = path.endswith(fault.path) and fault.method in (method, "*")
            if fits and fault.times > 0 and refuses is not path.startswith(_CONTENT):
                fault.times -= 1
                return fault
        return Fault()

    def bytes_asked_for(self, path: str) -> list[str]:
        """Return the ranges of all GET requests of a file, empty for a whole one."""
        return [given for method, asked, given in self.requests if method == "GET" and asked == f"{_CONTENT}{path}"]


@contextmanager
def stand_in_hub(files: dict[str, bytes]) -> Iterator[StandInHub]:
    hub = StandInHub(files)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    server.daemon_threads = True
    hub.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield hub
    finally:
        hub.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    hub: StandInHub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(send=False)

    def do_GET(self) -> None:
        self._answer(send=True)

    def _answer(self, send: bool) -> None:
        path = unquote(self.path)
        self.hub.requests.append((self.command, path, self.headers.get("Range", "")))
        fault = self.hub.fault_for(self.command, path)
        name = path.removeprefix(_RESOLVE).removeprefix(_CONTENT)
        if fault.html:
            self._page(send)
        elif fault.status != 200:
            self._plain(fault.status)
        elif name not in self.hub.files:
            self._plain(404, {"X-Error-Code": "EntryNotFound"})
        elif path.startswith(_RESOLVE):
            self._plain(302, self._identity(name))
        else:
            self._file(self.hub.files[name], fault, send)

    def _identity(self, name: str) -> dict[str, str]:
        content = self.hub.files[name]
        return {
            "Location": f"{self.hub.endpoint.replace('127.0.0.1', 'localhost')}{_CONTENT}{name}",
            "X-Linked-Etag": f'"{hashlib.sha256(content).hexdigest()}"',
            "X-Linked-Size": str(len(content)),
            "X-Repo-Commit": self.hub.commit,
        }

    def _page(self, send: bool) -> None:
        page = b"<html><body>Log in to this network</body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        if send:
            self.wfile.write(page)

    def _plain(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()

    def _file(self, content: bytes, fault: Fault, send: bool) -> None:
        start = 0 if fault.ignore_range else _start(self.headers.get("Range", ""))
        body = (content if fault.body is None else fault.body)[start:]
        self.send_response(206 if start else 200)
        self.send_header("Accept-Ranges", "bytes")
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if send:
            self._body(bytearray(body), start, fault)

    def _body(self, body: bytearray, start: int, fault: Fault) -> None:
        if fault.flip_at is not None and start <= fault.flip_at < start + len(body):
            body[fault.flip_at - start] ^= 1
        end = len(body) if fault.cut_after is None else max(0, fault.cut_after - start)
        end = end if fault.stall_after is None else max(0, fault.stall_after - start)
        try:
            for at in range(0, min(end, len(body)), _CHUNK_BYTES):
                self.wfile.write(body[at : min(at + _CHUNK_BYTES, end)])
            self.wfile.flush()
        except OSError:
            return  # the client has disconnected
        if fault.stall_after is not None:
            self.hub.closing.wait()
        if end < len(body):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def _start(given: str) -> int:
    return int(given.removeprefix("bytes=").partition("-")[0]) if given else 0
