"""Golden runs: the errors of a good run, saved in a file for comparison with later runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from cattrs.preconf.json import make_converter

from engine.errors import DamagedFile, InvalidRequest
from engine.speech import Utterance
from engine.system.atomic_write import atomic_write
from engine.system.json_text import json_value
from engine.system.paths import resources_folder
from engine.validator.data.results import InputSource, Row, ValidationRequest
from engine.validator.data.run_context import RunContext, RunKey, builds_apart, run_key_difference

NAME = "golden"
SUFFIX = ".json"
MIN_ERROR = 2.0**-23
"""The spacing of float32 above 1; smaller errors count as this, because no run can be expected to be better."""
AGAIN = "Create a new one with “kokoro-desk validate --save-golden FILE”."


@dataclass(frozen=True)
class GoldenError:
    """The error of one row."""

    utterance: int
    stage: str
    output: str
    regime: str
    reading: InputSource
    relative_l2: float
    max_abs: float

    @property
    def key(self) -> tuple[object, ...]:
        """The key of its row."""
        return self.utterance, self.stage, self.output, self.regime, self.reading


@dataclass(frozen=True)
class Golden:
    """A baseline for other runs: its circumstances, the day it was created, and the errors of its compiled rows.

    `phonemes` are those of its utterances: a later front end may generate different ones for the same text.
    """

    circumstances: RunContext
    made: str
    phonemes: tuple[str, ...]
    errors: tuple[GoldenError, ...]

    @classmethod
    def of(cls, rows: Iterable[Row], utterances: Iterable[Utterance], circumstances: RunContext, made: date) -> Golden:
        """Return the golden run with the errors of these rows."""
        phonemes = tuple(utterance.phonemes for utterance in utterances)
        return cls(circumstances, made.isoformat(), phonemes, tuple(_errors(rows)))

    def has(self, utterance: Utterance) -> bool:
        """Return whether it has this utterance at this place."""
        return self.phonemes[utterance.index : utterance.index + 1] == (utterance.phonemes,)

    def times(self, row: Row) -> float | None:
        """Return the error of a row over the same row's here; None if either is unknown."""
        error = None if row.metrics is None else row.metrics.relative_l2
        golden = self._by_key.get((row.utterance, row.stage, row.output, row.regime, row.reading))
        return None if error is None or golden is None else error / max(golden.relative_l2, MIN_ERROR)

    @cached_property
    def _by_key(self) -> Mapping[tuple[object, ...], GoldenError]:
        return {error.key: error for error in self.errors}

    def save(self, path: Path) -> None:
        """Write it atomically; raises `OutputError`."""
        with atomic_write(path) as file:
            text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
            file.write(text.encode(errors="backslashreplace") + b"\n")  # a lone surrogate becomes its JSON escape

    @classmethod
    def load(cls, path: Path) -> Golden:
        """Read a golden run from a file; raises `InvalidRequest` if it is missing, `DamagedFile` if it is invalid."""
        try:
            return make_converter().structure(json_value(path.read_text(encoding="utf-8")), cls)
        except FileNotFoundError as error:
            raise InvalidRequest(f"The golden run {path} doesn’t exist.", AGAIN) from error
        except (OSError, ValueError, TypeError, KeyError, AttributeError, ExceptionGroup) as error:
            raise DamagedFile(path, f"The golden run {path} can’t be read.", AGAIN) from error


def _errors(rows: Iterable[Row]) -> Iterable[GoldenError]:
    for row in rows:
        metrics = row.metrics
        if row.decides and metrics is not None and metrics.relative_l2 is not None and metrics.max_abs is not None:
            names = row.utterance, row.stage, row.output, row.regime, row.reading
            yield GoldenError(*names, metrics.relative_l2, metrics.max_abs)


def chosen(
    request: ValidationRequest, now: RunContext | None, shipped: Path | None = None
) -> tuple[Golden | None, str]:
    """Return the golden run that the request names, or the bundled one that fits, and a sentence about it.

    Raises `InvalidRequest` if it names a run with a different subject from `now`, and the errors of `Golden.load`.
    """
    if request.golden is not None:
        golden = _named(request.golden, now)
        return golden, "" if now is None else describe_golden(golden, now)
    if now is None:
        return None, ""
    try:
        kept = _of(now.subject, shipped or resources_folder() / NAME)
    except DamagedFile as error:
        return None, error.message
    return kept, describe_golden(kept, now)


def _of(subject: RunKey, folder: Path) -> Golden | None:
    """Return the golden run of a subject in a folder; None if there is none."""
    found = (Golden.load(path) for path in sorted(folder.glob(f"*{SUFFIX}")))
    return next((golden for golden in found if golden.circumstances.subject == subject), None)


def _named(path: str, now: RunContext | None) -> Golden:
    golden = Golden.load(Path(path))
    if now is None:
        raise InvalidRequest("A golden run applies to compiled regimes, and none was requested.", "Add compiled.")
    if apart := run_key_difference(golden.circumstances.subject, now.subject):
        raise InvalidRequest(f"The golden run {path} is of {apart}.", f"Use the same, or: {AGAIN}")
    return golden


def describe_golden(golden: Golden | None, now: RunContext) -> str:
    """Name in one sentence the golden run that a run is compared with."""
    if golden is None:
        return "There’s no golden run for this text, voice, model, and device."
    apart = builds_apart(golden.circumstances.build, now.build)
    build = f"a different build ({apart})" if apart else "the same build"
    return f"The golden run is of {build}, made on {golden.made}."
