"""Edits and requests as JSON: the files that `engine speak --edits` reads, and the fields that databases store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from engine.errors import DamagedFile, InvalidRequest
from engine.speech import Definitions, Pronunciation, SpeechRequest, UtteranceEdit
from engine.system.atomic_write import atomic_write
from engine.system.json_text import json_value

FORMAT = "kokoro-desk edits"
VERSION = 1
PLAIN_REQUEST = SpeechRequest("", "")


def request_fields(request: SpeechRequest) -> dict[str, Any]:
    """Return a request as JSON values; equal requests have equal fields.

    Without edits or definitions, it has no field for them.
    """
    values = asdict(request)
    for name in ("edits", "definitions"):
        if getattr(request, name) == getattr(PLAIN_REQUEST, name):
            del values[name]
    return values


def request_from_fields(values: Mapping[str, Any]) -> SpeechRequest:
    """Return the request with these fields; unknown fields, of a newer version, are left out.

    Raises `ValueError`, `TypeError` or `KeyError` for values that no request has.
    """
    known = {field.name: values[field.name] for field in fields(SpeechRequest) if field.name in values}
    edits, definitions = edits_from(known.get("edits", ())), definitions_from(known.get("definitions", {}))
    return SpeechRequest(**{**known, "edits": edits, "definitions": definitions})


def edits_from(values: Any) -> tuple[UtteranceEdit, ...]:
    """Return edits from JSON values; raises `ValueError` for anything else."""
    if not values:
        return ()
    from cattrs import BaseValidationError
    from cattrs.preconf.json import make_converter

    try:
        return tuple(make_converter(forbid_extra_keys=True).structure(values, list[UtteranceEdit]))
    except (BaseValidationError, TypeError, AttributeError) as error:
        raise ValueError("These are no edits.") from error


def definitions_from(values: Any) -> Definitions:
    """Return definitions from JSON values; raises `ValueError` for anything else."""
    try:
        given, hidden = (tuple(map(_pronunciation, values.get(name, ()))) for name in ("pronunciations", "hidden"))
        blends = tuple((str(name), str(recipe)) for name, recipe in values.get("blends", ()))
    except (TypeError, AttributeError) as error:
        raise ValueError("These are no definitions.") from error
    return Definitions(given, hidden, blends)


def _pronunciation(values: Any) -> Pronunciation:
    from engine.text.g2p.user_lexicon.entries import entry_of  # not before the window is shown

    return Pronunciation(**vars(entry_of(values)))


def write_edits(path: Path, edits: tuple[UtteranceEdit, ...], model: str) -> None:
    """Write edits for a model; raises `OutputError`."""
    content = json.dumps(_content(edits, model), indent=1, ensure_ascii=False)
    with atomic_write(path) as file:
        file.write(content.encode() + b"\n")


def edits_text(edits: tuple[UtteranceEdit, ...], model: str) -> str:
    """Return the content of a file of edits in one line of ASCII, which `read_edits` takes instead of a file."""
    return json.dumps(_content(edits, model), separators=(",", ":"))


def _content(edits: tuple[UtteranceEdit, ...], model: str) -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION, "model": model, "edits": [asdict(edit) for edit in edits]}


def read_edits(source: Path | str) -> tuple[tuple[UtteranceEdit, ...], str]:
    """Return the edits in a file, or in the content of one, and the model they are for, empty if unknown.

    Raises `InvalidRequest` for a file that doesn't exist or comes from a newer version, `DamagedFile` for any other
    content.
    """
    path = source if isinstance(source, Path) else Path("--edits")
    try:
        content = json_value(source.read_text(encoding="utf-8") if isinstance(source, Path) else source)
        if content["format"] != FORMAT:
            raise ValueError
        version, model, edits = int(content["version"]), str(content.get("model", "")), content["edits"]
    except FileNotFoundError as error:
        raise InvalidRequest(f"The file {path} doesn’t exist.", "Check the path.") from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise _damaged(path) from error
    if version > VERSION:
        raise InvalidRequest(f"{path} comes from a newer version of Kokoro Desk.", "Update Kokoro Desk to use it.")
    try:
        return edits_from(edits), model
    except ValueError as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> DamagedFile:
    return DamagedFile(path, f"{path} contains no edits.", "Choose a file of edits that Kokoro Desk wrote.")
