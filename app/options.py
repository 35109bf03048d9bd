"""What the command line asks of the window, which a second start hands to the window that is open."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """The options of the command line; a given text is spoken at once, a file only opened.

    `fetch` is the model to get in the background unless it or a better one is here; `appearance` counts for this window
    in the place of the chosen one.
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
        """One line; the file's path is absolute, since the window that is open may be in another folder."""
        return json.dumps(asdict(self) | {"file": self.file and str(self.file.absolute())}, default=str)

    @classmethod
    def from_json(cls, line: str) -> Options:
        """The options of such a line; what another version of the program has besides is left out."""
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in json.loads(line).items() if name in known}
        paths = {name: Path(values[name]) for name in ("screenshot", "file") if values.get(name) is not None}
        return cls(**values | paths)
