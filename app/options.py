"""The command-line options of the window, which a second start passes to the open window."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """The options of the command line; `text` is spoken immediately, `file` only opened.

    `fetch` is the model to download in the background unless it or a better one is installed; `appearance` overrides
    the saved setting for this window.
    """

    text: str | None = None
    voice: str | None = None
    speed: float | None = None
    screenshot: Path | None = None
    diagnostics: bool = False
    model: str | None = None
    fetch: str | None = None
    file: Path | None = None
    appearance: str | None = None

    def to_json(self) -> str:
        """Return the options as one line, with an absolute file path, since the open window may run elsewhere."""
        return json.dumps(asdict(self) | {"file": self.file and str(self.file.absolute())}, default=str)

    @classmethod
    def from_json(cls, line: str) -> Options:
        """Return the options in such a line, ignoring fields that only other versions of the program know."""
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in json.loads(line).items() if name in known}
        paths = {name: Path(values[name]) for name in ("screenshot", "file") if values.get(name) is not None}
        return cls(**values | paths)
