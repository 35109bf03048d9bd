"""The models on this machine: downloaded, imported, verified and removed by one process at a time.

A model is installed completely or not at all; an interrupted download is resumed.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from pathlib import Path

from engine.compiler.artifacts.manifest import CPU_DEVICE, METAL_DEVICE
from engine.compiler.artifacts.packed_weights import packed_weights_name
from engine.config import ModelConfig
from engine.errors import (
    Canceled,
    DamagedFile,
    DamagedModel,
    InvalidRequest,
    MissingModel,
    RecoveryAction,
    StorageError,
    UnusableModel,
)
from engine.models.catalog import ModelEntry, catalog, entry_named
from engine.models.conversion import ENVIRONMENT, VOICES_NAME, WEIGHTS_NAME, Conversion, convert
from engine.models.download import Download
from engine.models.installation import STUDENTS_NAME, Installation, ModelCopy, ModelManifest, alone, building
from engine.models.progress import ModelActivity, ModelObserver, TransferMeter, ignore
from engine.models.sources import (
    Sources,
    check_shipped,
    entry_for,
    fetch_published,
    find_sources,
    given_checkpoint,
    shipped_file,
)
from engine.models.voices.packs import Voice, describe
from engine.network.mapped_weights import map_weights
from engine.network.weights import Weights, load_weights
from engine.speech import Prosody
from engine.system.paths import data_folder, packed_weights_folder
from engine.system.remote import call

SPARE_BYTES = 64 << 20
"""Disk space to leave free."""


class ModelState(StrEnum):
    """The availability of a model; `partial` means that its download was interrupted."""

    BUNDLED = "bundled"
    INSTALLED = "installed"
    PARTIAL = "partial"
    ABSENT = "absent"
    DAMAGED = "damaged"


@dataclass(frozen=True)
class ModelStatus:
    """The state of a catalog model on this machine.

    `published` is true if it is bit-identical to the published model; `origin` is its source; `bytes_here` is its disk
    space, including a partial download.
    """

    entry: ModelEntry
    state: ModelState
    bytes_here: int = 0
    voices: tuple[str, ...] = ()
    published: bool = False
    origin: str = ""
    problem: str = ""


def require_space(folder: Path, needed_bytes: int) -> None:
    """Raise `StorageError` unless the disk has this much free space plus `SPARE_BYTES`."""
    free = shutil.disk_usage(folder).free
    wanted_bytes = needed_bytes + SPARE_BYTES
    if free < wanted_bytes:
        raise StorageError(
            f"{wanted_bytes / 1e6:,.0f} MB of free space are needed in {folder}; {free / 1e6:,.0f} MB are free.",
            "Free up some space there, then try again.",
        )


@dataclass(frozen=True)
class Installed:
    """An installed model; `identity` is unique to its weights, some of which come from `corrections`, if any."""

    weights_file: Path
    identity: str
    voices: Mapping[str, Voice] = field(repr=False)
    corrections: Path | None = None

    def load_weights(self) -> Weights:
        """Return the weights by folded state-dict key, mapped into memory."""
        corrected = {} if self.corrections is None else load_weights(self.corrections)
        return {**map_weights(self.weights_file), **corrected}


class ModelStore:
    """A folder of models; by default the user's.

    Methods that take `observe` and `cancel` may run long: they report progress to `observe` and raise `Canceled` soon
    after `cancel` is set. All raise `UnknownModel` for a name that is not in the catalog.
    """

    def __init__(self, folder: Path | None = None, entries: tuple[ModelEntry, ...] | None = None) -> None:
        self.folder = folder or data_folder() / "models"
        self._entries = entries or catalog()

    def catalog(self) -> tuple[ModelEntry, ...]:
        """Return all models in the catalog."""
        return self._entries

    def model_folder(self, name: str) -> Path:
        """Return the folder of the model, installed or not."""
        entry = entry_named(name, self._entries)
        return entry.config_file.parent if entry.bundled else self.folder / entry.name

    def students_file(self, name: str) -> Path:
        """Return the path of a model's students, also for a bundled model."""
        return self.folder / entry_named(name, self._entries).name / STUDENTS_NAME

    def status(self, name: str) -> ModelStatus:
        """Return the state of a model; checks sizes, and hashes only the program's corrections."""
        entry = entry_named(name, self._entries)
        if entry.bundled:
            return ModelStatus(entry, ModelState.BUNDLED, published=True, origin=entry.source)
        try:
            manifest = self._installation(entry).checked()
            if manifest is not None:
                shipped_file(entry, entry.corrections_file)
        except DamagedFile as damage:
            return ModelStatus(entry, ModelState.DAMAGED, self._bytes_received(entry), problem=str(damage))
        if manifest is None:
            received = self._bytes_received(entry)
            return ModelStatus(entry, ModelState.PARTIAL if received else ModelState.ABSENT, received)
        used = sum(file.bytes for file in manifest.files)
        return ModelStatus(entry, ModelState.INSTALLED, used, manifest.voices, manifest.published, manifest.origin)

    def open(self, name: str) -> Installed | None:
        """Return the installed model, or None. Raises `DamagedFile`."""
        entry = entry_named(name, self._entries)
        installation = self._installation(entry)
        manifest = installation.opened()
        if manifest is None:
            return None
        tables = map_weights(installation.path(manifest.voices_file))
        voices = {voice: Voice(describe(voice), tables[voice]) for voice in manifest.voices}
        corrections = shipped_file(entry, entry.corrections_file)
        identity = _corrected_identity(manifest.weights.sha256, entry)
        return Installed(installation.path(manifest.weights), identity, voices, corrections)

    def fetch(self, name: str, observe: ModelObserver = ignore, cancel: threading.Event | None = None) -> None:
        """Install the published model, from the network or a cache; does nothing if it is already installed.

        A partial download is stored until `discard_received`. Raises `DownloadError`, `StorageError`, `DamagedFile`,
        `InvalidRequest` for a bundled model, or `Canceled`.
        """
        entry = _to_have(entry_named(name, self._entries))
        meter = TransferMeter(name, observe)
        with self._alone(entry, meter, cancel), building(self.folder, entry.name) as folder:
            check_shipped(entry)
            if self._is_published(entry):
                return
            needed_bytes = entry.bytes + _installed_bytes(entry) - self._bytes_received(entry)
            require_space(self.folder, needed_bytes)
            sources = fetch_published(entry, self._staging(entry), folder, meter.show, cancel)
            self._install(entry, sources, entry.origin, folder, meter, cancel, published=True)
            shutil.rmtree(self._staging(entry), ignore_errors=True)

    def discard_received(self, name: str) -> None:
        """Delete a partial download, unless another process is working on the model.

        Raises `StorageError`, or `InvalidRequest` for a bundled model.
        """
        entry = _to_have(entry_named(name, self._entries))
        at_once = threading.Event()
        at_once.set()
        with suppress(Canceled), self._alone(entry, TransferMeter(name, ignore), at_once):
            shutil.rmtree(self._staging(entry), ignore_errors=True)

    def import_from(
        self, path: Path, name: str, observe: ModelObserver = ignore, cancel: threading.Event | None = None
    ) -> None:
        """Install a model from the user's checkpoint, or add the user's voices to an installed one.

        Raises `UnusableModel`, `StorageError`, `DamagedFile`, `InvalidRequest`, or `Canceled`; the previous
        installation then stays.
        """
        entry = _to_have(entry_named(name, self._entries))
        meter = TransferMeter(name, observe)
        sources = find_sources(path, entry)
        self._check_description(entry, sources)
        with self._alone(entry, meter, cancel), building(self.folder, entry.name) as folder:
            check_shipped(entry)
            checkpoint, published = given_checkpoint(entry, sources, folder, meter.show, cancel)
            sources, origin = replace(sources, checkpoint=checkpoint), f"imported from {path.absolute()}"
            self._install(entry, sources, origin, folder, meter, cancel, published=published)

    def copied(self, name: str) -> ModelCopy | None:
        """Read a whole installed model, to install it on another computer; None if it is not installed.

        Raises `DamagedModel`.
        """
        return self._installation(entry_named(name, self._entries)).copied()

    def install_copy(self, name: str, copy: ModelCopy) -> None:
        """Install a copy of a model from another computer; a model or students that are already installed stay.

        Raises `StorageError`, `DamagedModel`, or `InvalidRequest` for a bundled one.
        """
        entry = _to_have(entry_named(name, self._entries))
        with self._alone(entry, TransferMeter(name, ignore), None), building(self.folder, entry.name) as folder:
            installation = self._installation(entry)
            if installation.opened() is None:
                require_space(self.folder, sum(map(len, copy.contents)))
                _forget_packed(name)
                installation.install(copy, folder)
            installation.add_students(copy.students)

    def name_for(self, path: Path) -> str:
        """Return the name of the model for which a file or folder would be imported.

        Raises `UnusableModel` if the folder can't be read.
        """
        installed = [each for each in self._entries if self.status(each.name).state is ModelState.INSTALLED]
        return entry_for(path, self._entries, installed).name

    def verify(self, name: str, observe: ModelObserver = ignore, cancel: threading.Event | None = None) -> None:
        """Hash all files of an installed model. Raises `DamagedFile`, `MissingModel`, or `Canceled`.

        A damaged model stays damaged, also for `status`, until it is downloaded or imported again.
        """
        entry = _to_have(entry_named(name, self._entries))
        installation = self._installation(entry)
        manifest = installation.manifest()
        if manifest is None:
            raise MissingModel(
                f"{entry.title} isn’t installed.",
                f"Download it with “kokoro-desk models fetch {name}”.",
                RecoveryAction.GET_MODEL,
            )
        shipped_file(entry, entry.corrections_file)
        meter, done = TransferMeter(name, observe), 0
        total = sum(file.bytes for file in manifest.files)

        def advance(count: int) -> None:
            nonlocal done
            done += count
            meter.show(ModelActivity.CHECKING, done, total)

        installation.verify(manifest, advance, cancel)

    def remove(self, name: str) -> None:
        """Delete a model, its partial download, and its packed weights.

        Raises `StorageError`, or `InvalidRequest` for a bundled one.
        """
        entry = _to_have(entry_named(name, self._entries))
        with self._alone(entry, TransferMeter(name, ignore), None):
            self._installation(entry).remove()
            shutil.rmtree(self._staging(entry), ignore_errors=True)
            _forget_packed(name)

    def _install(
        self,
        entry: ModelEntry,
        sources: Sources,
        origin: str,
        folder: Path,
        meter: TransferMeter,
        cancel: threading.Event | None,
        *,
        published: bool,
    ) -> None:
        """Convert in a separate folder, then move the files in."""
        installation = self._installation(entry)
        installation.tidy()
        earlier = _earlier(entry, installation, sources)
        voices_file = (
            shipped_file(entry, entry.voices_file) if earlier is None else installation.path(earlier.voices_file)
        )
        layout = shipped_file(entry, entry.layout_file)
        order = Conversion(entry.config(), sources.checkpoint, sources.voices, folder, voices_file, layout)
        require_space(self.folder, order.bytes if sources.checkpoint is None else _installed_bytes(entry))
        meter.show(ModelActivity.CONVERTING, 0, order.bytes)  # loading PyTorch takes seconds
        voices = call(convert, order, meter.show, cancel=cancel, environment=ENVIRONMENT)
        known = [voice.info.name for voice in entry.voices]
        voices.sort(key=lambda voice: known.index(voice) if voice in known else len(known))
        if sources.checkpoint is not None or earlier is None:
            weights = installation.add_file(folder / WEIGHTS_NAME)
            _forget_packed(entry.name)  # they may come from damaged weights
        else:
            weights, origin, published = earlier.weights, earlier.origin, earlier.published
        taken = installation.add_file(folder / VOICES_NAME)
        installation.commit(ModelManifest(origin, published, weights, taken, tuple(voices)))

    def _is_published(self, entry: ModelEntry) -> bool:
        try:
            manifest = self._installation(entry).opened()
        except DamagedModel:
            return False
        return manifest is not None and manifest.published and {v.info.name for v in entry.voices} <= {*manifest.voices}

    def _check_description(self, entry: ModelEntry, sources: Sources) -> None:
        if sources.description is not None and ModelConfig.load(sources.description) != entry.config():
            raise UnusableModel(
                f"{sources.description} describes a different model, not {entry.title}.",
                "Choose a checkpoint of this model, or specify its model.",
            )

    def _alone(
        self, entry: ModelEntry, meter: TransferMeter, cancel: threading.Event | None
    ) -> AbstractContextManager[None]:
        return alone(self.folder, entry.name, lambda: meter.show(ModelActivity.WAITING, 0, entry.bytes), cancel)

    def _installation(self, entry: ModelEntry) -> Installation:
        return Installation(self.folder / entry.name)

    def _staging(self, entry: ModelEntry) -> Path:
        return self.folder / f".fetch-{entry.name}"

    def _bytes_received(self, entry: ModelEntry) -> int:
        return Download(entry.repository, entry.revision, entry.files, self._staging(entry)).bytes_received()


def _earlier(entry: ModelEntry, installation: Installation, sources: Sources) -> ModelManifest | None:
    """Return the installed model whose voices or weights stay. Raises `UnusableModel` if one is needed but missing."""
    if sources.checkpoint is not None and sources.voices:
        return None
    repairs = sources.checkpoint is not None and entry.voices_file is not None
    with suppress(DamagedModel) if repairs else nullcontext():
        if (earlier := installation.opened()) is not None:
            return earlier
    if repairs:
        return None
    if sources.checkpoint is None:
        raise UnusableModel(
            f"{entry.title} isn’t installed yet.", "Import its checkpoint first, or download the model."
        )
    raise UnusableModel(
        "There’s no voice pack beside the checkpoint.",
        "Put voice packs into a folder “voices” beside it, then try again.",
    )


def _corrected_identity(identity: str, entry: ModelEntry) -> str:
    """Return the identity of weights with the program's corrections, or the unchanged one without corrections."""
    if entry.corrections_file is None:
        return identity
    return hashlib.sha256(f"{identity} {entry.corrections_file.sha256}".encode()).hexdigest()


def _installed_bytes(entry: ModelEntry) -> int:
    """Return the size of an installed model; without quantization, it is about that of the published files."""
    return entry.installed_bytes or entry.bytes


def _forget_packed(name: str) -> None:
    for device, prosody in product((CPU_DEVICE, METAL_DEVICE), Prosody):
        (packed_weights_folder() / packed_weights_name(name, device, prosody)).unlink(missing_ok=True)


def _to_have(entry: ModelEntry) -> ModelEntry:
    if entry.bundled:
        raise InvalidRequest(f"{entry.title} are bundled with the app.", "There’s nothing to do.")
    return entry
