"""The report file: the output of all steps, small and without private data, and `report.json`, which lists it."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from engine.errors import EngineError
from engine.report.privacy import Private
from engine.report.running import StepOutcome, StepResult
from engine.system.json_text import json_value

REPORT = "report.json"
FORMAT = "Kokoro Desk report 1"
MAX_BYTES = 10_000_000
_RESERVED_BYTES = 500_000
"""The space for `report.json` and the archive's directory."""
_MAX_BYTES_OF_A_FILE = 1_500_000
"""The maximum size of a file after compression."""
_MAX_BYTES_OF_A_LOG = 300_000
"""The maximum size of a log before compression; its beginning is left out."""
_LOGS = (".txt", ".log")
_MAX_BYTES_READ = 50_000_000
_BYTES_OF_AN_ENTRY = 300


@dataclass
class ArchiveContent:
    """The content written until now: files by step, the reasons why others were left out, and the size."""

    files: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    bytes: int = 0


def write_report(file: IO[bytes], results: Sequence[StepResult], folder: Path, private: Private) -> None:
    """Write the files in the steps' folders below `folder`, and the result of every step."""
    written = ArchiveContent()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for result in results:
            for path in sorted(path for path in (folder / result.name).rglob("*") if path.is_file()):
                _add(archive, written, result.name, path, path.relative_to(folder).as_posix(), private)
        steps = [
            {**asdict(result), "reason": private.words(result.reason), "files": written.files.get(result.name, [])}
            for result in results
        ]
        report = {"format": FORMAT, "steps": steps, "left_out": written.left_out}
        archive.writestr(REPORT, json.dumps(report, indent=1, ensure_ascii=False))


def _add(archive: zipfile.ZipFile, written: ArchiveContent, step: str, path: Path, name: str, private: Private) -> None:
    content = private.redacted(_end_of(path))
    if content is None:
        written.left_out[name] = "it is a binary file that names the user, the computer, or the home folder"
        return
    size = len(zlib.compress(content)) + _BYTES_OF_AN_ENTRY
    if size > _MAX_BYTES_OF_A_FILE or written.bytes + size > MAX_BYTES - _RESERVED_BYTES:
        written.left_out[name] = f"it is too large ({size / 1e6:.1f} MB)"
        return
    if content:
        archive.writestr(name, content)
        written.bytes += size
        written.files.setdefault(step, []).append(name)


def _end_of(path: Path) -> bytes:
    """Return the content of a file, or the last lines of a long log."""
    content = path.read_bytes()
    if path.suffix not in _LOGS or len(content) <= _MAX_BYTES_OF_A_LOG:
        return content
    end = content[-_MAX_BYTES_OF_A_LOG:].partition(b"\n")[2]
    return b"(%d bytes before this are left out)\n%b" % (len(content) - len(end), end)


def _step(entry: Mapping[str, Any]) -> StepResult:
    outcome, seconds = StepOutcome(entry["outcome"]), float(entry["seconds"])
    return StepResult(str(entry["name"]), outcome, str(entry["reason"]), seconds)


class ReportFile:
    """A report file. Raises `EngineError` if it is invalid."""

    def __init__(self, path: Path) -> None:
        self._path = path
        values = self.json(REPORT)
        try:
            if values["format"] != FORMAT:
                raise self._is_none()
            self.steps = [_step(entry) for entry in values["steps"]]
            self.left_out = {str(name): str(why) for name, why in values["left_out"].items()}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._is_none() from error

    def json(self, name: str) -> Any:
        """Return the JSON value of a file in it. Raises `EngineError` if it cannot be read."""
        try:
            with zipfile.ZipFile(self._path) as archive:
                if archive.getinfo(name).file_size > _MAX_BYTES_READ:
                    raise self._is_none()
                return json_value(archive.read(name))
        except (OSError, KeyError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise self._is_none() from error

    def lines(self, name: str) -> Iterator[Any]:
        """Yield the JSON value of each line of a file in it; nothing if the file is missing."""
        try:
            with zipfile.ZipFile(self._path) as archive:
                yield from map(json_value, archive.read(name).splitlines())
        except (OSError, KeyError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
            return

    def _is_none(self) -> EngineError:
        return EngineError(f"{self._path} isn’t a readable report.", "Choose a file that “kokoro-desk report” wrote.")
