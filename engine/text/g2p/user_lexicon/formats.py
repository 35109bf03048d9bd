"""Reads and writes lists of entries: CSV, projects, and the formats of other programs that speak with Kokoro.

abogen's substitutions have lines such as `Zorg|zorgue`, the lexicons of FluidAudio lines such as `Zorg=zˈɔɹɡ`. A
project is a JSON object whose `lexicon` is a list.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.errors import InvalidRequest
from engine.system.json_text import json_value
from engine.text.g2p.user_lexicon.entries import FIELDS, LexiconEntry, checked, entry_of

ALIASES = {"pos": "part_of_speech", "part of speech": "part_of_speech", "ipa": "phonemes"}
DELIMITERS = ",;\t"
LINE_BREAK = re.compile(r"\r\n|\n|\r")
MAX_BYTES = 50_000_000
Paced = Callable[[Iterable[tuple[int, Any]]], Iterator[tuple[int, Any]]]
COLUMNS_HINT = f"Use the columns {', '.join(FIELDS)}, or lines such as Zorg|zorgue or Zorg=zˈɔɹɡ."
OBJECT = "{"
"""The beginning of a file in JSON, as no list has it."""


@dataclass(frozen=True)
class RefusedLine:
    """The number of an unusable line, or of an entry of a project, from 1, and the reason."""

    line: int
    reason: str


@dataclass(frozen=True)
class Imported:
    """The usable entries of a list, and its other lines."""

    entries: tuple[LexiconEntry, ...]
    refused: tuple[RefusedLine, ...]


def read_entries(path: Path, symbols: Collection[str], paced: Paced = iter) -> Imported:
    """Read a list of entries, or those of a project; `symbols` is the vocabulary of the model.

    `paced` yields its items, the numbered lines, and may wait in between or report progress.
    Raises `InvalidRequest` for a file that cannot be read or is not such a list.
    """
    try:
        if not path.is_file():  # opening a pipe waits for a writer
            raise InvalidRequest(f"{path} isn’t a file.")
        if path.stat().st_size > MAX_BYTES:
            raise InvalidRequest(f"{path} is larger than {MAX_BYTES // 1_000_000} MB.", "Split it.")
        text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise InvalidRequest(f"{path} can’t be read ({error.strerror}).") from error
    if text.lstrip().startswith(OBJECT):
        return _imported(paced(enumerate(_project_entries(text, path), 1)), _of_fields, symbols)
    split = LINE_BREAK.split(text)
    lines = [(number, line) for number, line in paced(enumerate(split, 1)) if line.strip()]
    lines = [(number, line) for number, line in lines if not line.startswith("#")]
    if not lines:
        raise InvalidRequest(f"{path} has no entries.", COLUMNS_HINT)
    parse = _parser_of(lines[0][1])
    if parse is not None:
        return _imported(paced(lines[1:]), parse, symbols)
    if not any(sign in lines[0][1] for sign in "|="):
        raise InvalidRequest(f"{path} isn’t a list of entries.", COLUMNS_HINT)
    return _imported(paced(lines), _of_pair, symbols)


def as_csv(entries: Iterable[LexiconEntry]) -> str:
    """Return entries as CSV with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(asdict, entries))
    return text.getvalue()


def _project_entries(text: str, path: Path) -> list[Any]:
    try:
        found = json_value(text)["lexicon"]
    except (ValueError, KeyError) as error:
        raise InvalidRequest(f"{path} isn’t a project or a list of entries.", COLUMNS_HINT) from error
    if not isinstance(found, list) or not found:
        raise InvalidRequest(f"{path} has no entries.")
    return found


def _of_fields(values: Any) -> LexiconEntry:
    try:
        return entry_of(values)
    except ValueError as error:
        raise InvalidRequest(str(error)) from error


def _imported(
    lines: Iterable[tuple[int, Any]], parse: Callable[[Any], LexiconEntry], symbols: Collection[str]
) -> Imported:
    entries: list[LexiconEntry] = []
    refused: list[RefusedLine] = []
    for number, line in lines:
        try:
            entries.append(checked(parse(line), symbols))
        except InvalidRequest as error:
            refused.append(RefusedLine(number, error.message))
    return Imported(tuple(entries), tuple(refused))


def _parser_of(header: str) -> Callable[[str], LexiconEntry] | None:
    """Return the parser of the lines below a header; None if this is not one."""
    delimiter = max(DELIMITERS, key=header.count)
    titles = [title.strip().lower().replace("\ufeff", "") for title in _cells(header, delimiter)]
    columns = [ALIASES.get(title, title) for title in titles]
    if not {"word", "pattern"} & set(columns) or not {"phonemes", "say"} & set(columns):
        return None

    def parse(line: str) -> LexiconEntry:
        cells = _cells(line, delimiter)
        if len(cells) > len(columns):
            raise InvalidRequest(f"The line has {len(cells)} columns instead of {len(columns)}.")
        values = dict(zip(columns, cells, strict=False))
        return LexiconEntry(**{name: value for name, value in values.items() if name in FIELDS})

    return parse


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InvalidRequest(f"The line isn’t valid CSV ({error}).") from error


def _of_pair(line: str) -> LexiconEntry:
    word, sign, said = line.partition("|" if "|" in line else "=")
    if not sign:
        raise InvalidRequest("The line has neither “|” nor “=”.")
    return LexiconEntry(word=word, say=said) if sign == "|" else LexiconEntry(word=word, phonemes=said)
