"""Reads files saved by PyTorch, state dicts and single tensors, without running any code in them."""

from __future__ import annotations

import pickle
import struct
import warnings
import zipfile
from pathlib import Path
from typing import Any

import torch

from engine.errors import UnusableModel

_DESCRIPTION_LIMIT_BYTES = 4 << 20
"""The limit for the pickled description of a file's tensors; Kokoro's is 90 kB."""
_FETCH_HINT = "Get the file again."
_UNSAFE_HINT = "Use only weights from a source that you trust, saved as a plain state dict."


def read_torch_file(path: Path) -> Any:
    """The content that `torch.save` wrote; tensors stay in the file until they are used.

    Raises `UnusableModel` for a file that is damaged, compressed, or holds anything but tensors in plain containers.
    """
    _check_archive(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except pickle.UnpicklingError as error:
        raise UnusableModel(f"{path.name} holds program code, not only weights.", _UNSAFE_HINT) from error
    except (RuntimeError, ValueError, LookupError, TypeError, AttributeError, EOFError, OSError, struct.error) as error:
        raise _damaged(path) from error


def _check_archive(path: Path) -> None:
    """Check the archive's directory first: nothing larger than the file may be unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check_sizes(path, entries)
            if archive.testzip() is not None:
                raise _damaged(path)
    except (OSError, zipfile.BadZipFile, NotImplementedError, EOFError, ValueError) as error:
        raise _damaged(path) from error


def _check_sizes(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    compressed = any(entry.compress_type != zipfile.ZIP_STORED for entry in entries)
    if compressed or sum(entry.file_size for entry in entries) > path.stat().st_size:
        raise UnusableModel(
            f"{path.name} would be larger unpacked than it is; PyTorch doesn’t save such files.", _UNSAFE_HINT
        )
    descriptions = [entry.file_size for entry in entries if entry.filename.endswith("data.pkl")]
    if not descriptions or max(descriptions) > _DESCRIPTION_LIMIT_BYTES:
        raise UnusableModel(f"{path.name} isn’t a file of tensors saved by PyTorch.", _FETCH_HINT)


def _damaged(path: Path) -> UnusableModel:
    return UnusableModel(f"{path.name} is incomplete, damaged, or not saved by PyTorch 1.6 or later.", _FETCH_HINT)
