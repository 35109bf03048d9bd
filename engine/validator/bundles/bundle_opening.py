"""Opens a validation that was exported to one file on any machine; nothing in the file is trusted."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from engine.config import ModelConfig
from engine.errors import DamagedFile, EngineError
from engine.models.checkpoints import model_config
from engine.runtime.edited_curves import FIRST_TOKEN
from engine.stages import STAGE_NAMES, STAGES, Size, Tensor
from engine.system.atomic_write import atomic_write, write_error
from engine.system.json_text import json_value
from engine.validator.bundles.bundle import ARRAYS_NAME, FORMAT, FORMAT_NAME, JSON_NAME, VERSION
from engine.validator.data.results import AlignmentEvent, InputSource, Report
from engine.validator.data.wire import Wire
from engine.validator.runs.arrays import ArrayFolder, array_key
from engine.validator.runs.end_to_end_run import ALIGNMENT_OUTPUT

MAX_FIGURES_BYTES = 256 << 20
"""The limit for figures; those of ten thousand utterances take less."""
_CHOOSE = "Choose a different file."


@dataclass(frozen=True)
class OpenedBundle:
    """An exported validation: its report, its name, and when it was exported, as text; the last two may be empty.

    The request's `arrays_folder` is the folder with the unpacked arrays, or None if there are none.
    """

    report: Report
    name: str
    made: str


def open_bundle(path: Path, folder: Path) -> OpenedBundle:
    """Read a bundle and unpack its arrays into `folder`, which must exist and be empty; write nothing elsewhere.

    Raises `EngineError` for a missing file, `OutputError` if the disk is full, and `UnknownModel`. Raises `DamagedFile`
    for a bundle that is damaged, has a different version, names paths outside itself, or unpacks to more than it
    should.
    """
    with _opened(path) as archive:
        name, made = _label(path, archive)
        report = _report(path, archive)
        has_arrays = ARRAYS_NAME in archive.namelist()
        config = model_config(report.request.model)
        if has_arrays:
            _unpack_arrays(path, archive, folder)
            _check_arrays(path, ArrayFolder(folder), config)
    request = replace(report.request, arrays_folder=str(folder) if has_arrays else None)
    return OpenedBundle(replace(report, request=request), name, made)


def alignments(report: Report, arrays: ArrayFolder) -> Iterator[AlignmentEvent]:
    """Yield how long the reference speaks each token of each utterance, if its durations were stored."""
    reference = report.request.reference
    for utterance in report.utterances:
        if arrays.holds(utterance.index, reference, InputSource.END_TO_END, ALIGNMENT_OUTPUT):
            frame_token = arrays.load(utterance.index, reference, InputSource.END_TO_END, ALIGNMENT_OUTPUT)[0]
            tokens = len(utterance.phonemes) + 2 * FIRST_TOKEN
            frames = np.bincount(np.clip(frame_token, 0, tokens - 1), minlength=tokens)
            yield AlignmentEvent(utterance.index, tuple(int(count) for count in frames))


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            _check_names(path, archive)
            yield archive
    except FileNotFoundError as error:
        raise EngineError(f"{path} doesn’t exist.", "Check the name.") from error
    except (OSError, EOFError, RuntimeError, NotImplementedError, zipfile.BadZipFile) as error:
        raise _damaged(path) from error


def _check_names(path: Path, archive: zipfile.ZipFile) -> None:
    for name in archive.namelist():
        parts = PurePosixPath(name.replace("\\", "/"))
        if parts.is_absolute() or ".." in parts.parts or ":" in name:
            raise DamagedFile(path, f"{path} contains the path {name}, which is outside its folder.", _CHOOSE)


def _label(path: Path, archive: zipfile.ZipFile) -> tuple[str, str]:
    """Return the bundle's name and when it was exported."""
    if JSON_NAME not in archive.namelist():
        raise _damaged(path)
    if FORMAT_NAME not in archive.namelist():
        raise _other_version(path, "0")
    facts = _json(path, archive, FORMAT_NAME)
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise _damaged(path)
    if facts.get("version") != VERSION:
        raise _other_version(path, str(facts.get("version")))
    return str(facts.get("name", "")), str(facts.get("made", ""))


def _report(path: Path, archive: zipfile.ZipFile) -> Report:
    try:
        report = Wire().report_from_dict(_json(path, archive, JSON_NAME))
    except ValueError as error:
        raise _damaged(path) from error
    known = {utterance.index for utterance in report.utterances}
    if not all(row.stage in STAGE_NAMES and row.utterance in known for row in report.rows):
        raise _damaged(path)
    return report


def _json(path: Path, archive: zipfile.ZipFile, name: str) -> Any:
    """Return the content of a member, reading a bounded size regardless of its header."""
    with archive.open(name) as member:
        content = member.read(MAX_FIGURES_BYTES + 1)
    if len(content) > MAX_FIGURES_BYTES:
        raise DamagedFile(path, f"{name} in {path} is larger than {MAX_FIGURES_BYTES >> 20} MiB.", _CHOOSE)
    try:
        return json_value(content)
    except ValueError as error:
        raise _damaged(path) from error


def _unpack_arrays(path: Path, archive: zipfile.ZipFile, folder: Path) -> None:
    """Copy each array to the file of its name."""
    packed = folder / ARRAYS_NAME
    try:
        _copy(path, archive, archive.getinfo(ARRAYS_NAME), packed)
        with zipfile.ZipFile(packed) as arrays:
            entries = arrays.infolist()
            if sum(entry.file_size for entry in entries) > packed.stat().st_size:
                raise _damaged(path)
            for entry in entries:
                _copy(path, arrays, entry, folder / _member(path, entry.filename))
    finally:
        packed.unlink(missing_ok=True)


def _member(path: Path, name: str) -> str:
    """Return the path of an array relative to the folder, which names of arrays cannot leave."""
    key = array_key(name)
    if key is None:
        raise DamagedFile(path, f"{path} has an array with the invalid name {name}.", _CHOOSE)
    return key.member


def _copy(path: Path, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path) -> None:
    """Copy an uncompressed member, so that it takes no more room than the bundle itself."""
    if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
        raise DamagedFile(path, f"{entry.filename} in {path} is compressed; exports never are.", _CHOOSE)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(target, error) from error
    with archive.open(entry) as source, atomic_write(target) as file:
        shutil.copyfileobj(source, file, 1 << 20)


def _check_arrays(path: Path, arrays: ArrayFolder, config: ModelConfig) -> None:
    """Raise `DamagedFile` for an array whose shape does not fit its name, with a batch of one."""
    declared = {tensor.name: tensor for stage in STAGES for tensor in stage.outputs}
    for key in arrays.entries():
        array = arrays.load(key.utterance, key.regime, key.reading, key.output)
        tensor = declared.get(key.output)
        if tensor is None or array.dtype != tensor.dtype or not _has_shape(tensor, array.shape, config):
            raise _damaged(path)


def _has_shape(tensor: Tensor, shape: tuple[int, ...], config: ModelConfig) -> bool:
    if len(shape) != len(tensor.axes) + 1 or shape[0] != 1:
        return False
    fixed = ((axis, extent) for axis, extent in zip(tensor.axes, shape[1:], strict=True) if isinstance(axis, Size))
    return all(extent == axis.extent(config, {}) for axis, extent in fixed)


def _other_version(path: Path, version: str) -> DamagedFile:
    return DamagedFile(
        path,
        f"{path} is a diagnosis of version {version}; this version of Kokoro Desk opens version {VERSION}.",
        "Export it again with this version of Kokoro Desk.",
    )


def _damaged(path: Path) -> DamagedFile:
    return DamagedFile(path, f"{path} is damaged or not an exported diagnosis.", _CHOOSE)
