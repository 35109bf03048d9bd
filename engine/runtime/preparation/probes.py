"""Results of trials in a child process, cached for this chip, build of the system and set of modules.

A trial may crash or hang, so it never runs in the process that needs the result. Results are files in the cache folder,
one for each chip, system and set of modules; an unreadable result is determined again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from engine.compiler.artifacts.manifest import CPU, CPU_DEVICE, Manifest, Variant, libraries_key
from engine.config import ModelConfig
from engine.errors import EngineError
from engine.runtime.preparation.modules import find_modules
from engine.system.atomic_write import write_atomically
from engine.system.child_process import abort_quietly
from engine.system.json_text import json_value
from engine.system.paths import cache_folder
from engine.system.processor import chip, system_build
from engine.system.remote import CallTimedOut, ProcessEnded, call

log = logging.getLogger(__name__)

PROBE_SECONDS = 60.0
"""The timeout, far longer than any probe takes, including the first compilation of Metal's kernels."""


@dataclass(frozen=True)
class ProbeResult:
    """The outcome of a trial: whether the modules work here, or why not; `seconds` maps names to times."""

    works: bool
    why: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredResult:
    """The cached result of one probe of these modules, for this chip and build of the system.

    `timed` are the names that a successful probe has timed.
    """

    probe: str
    modules: str
    timed: frozenset[str] = frozenset()

    def load(self) -> ProbeResult | None:
        """Return the result, or None if there is no readable one."""
        try:
            values = json_value(self.path.read_text(encoding="utf-8"))
            result = _result(values["result"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        complete = not result.works or result.seconds.keys() == self.timed
        return result if values["of"] == self._of and complete else None

    def save(self, result: ProbeResult) -> None:
        """Store a result. Raises `OSError`."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        content = {"of": self._of, "result": asdict(result)}
        write_atomically(self.path, json.dumps(content, indent=1).encode())

    def found_by(self, find: Callable[[], ProbeResult]) -> ProbeResult:
        """Return the cached result, or run `find` to get it, at most once per process."""
        if (kept := self.load()) is not None:
            return kept
        if not _can_be_written(self.path.parent):
            log.warning("The folder %s can’t be written, so %s is tested at every start.", self.path.parent, self.probe)
            found = _found_here()
            return found[self] if self in found else found.setdefault(self, find())
        result = find()
        with suppress(OSError):
            self.save(result)
        return result

    @property
    def path(self) -> Path:
        """The file of the result."""
        digest = hashlib.sha256(json.dumps(self._of).encode()).hexdigest()[:16]
        return probes_folder() / f"{self.probe}-{digest}.json"

    @property
    def _of(self) -> dict[str, str]:
        return {"probe": self.probe, "chip": chip(), "system": system_build(), "modules": self.modules}


def forget_results(probe: str) -> None:
    """Remove all results of this probe, for any modules."""
    for path in probes_folder().glob(f"{probe}-*.json"):
        path.unlink(missing_ok=True)


def probes_folder() -> Path:
    """Return the folder of the results."""
    return cache_folder() / "probes"


def _result(values: Mapping[str, Any]) -> ProbeResult:
    seconds = {str(name): float(value) for name, value in values["seconds"].items()}
    return ProbeResult(bool(values["works"]), str(values["why"]), seconds)


def _can_be_written(folder: Path) -> bool:
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return os.access(folder, os.W_OK)


@cache
def _found_here() -> dict[StoredResult, ProbeResult]:
    return {}


@dataclass(frozen=True)
class ProbeTrial:
    """A test run: stages, token counts up to the model's limit, and the number of calls.

    `batches` are the token counts of the sequences of each batch. Every batch runs `calls` times, in turn; batches of
    one sequence are timed. `name` identifies the cached result.
    """

    name: str
    stages: tuple[str, ...]
    batches: tuple[tuple[int, ...], ...]
    calls: int

    def result(self, config: ModelConfig, variants: Mapping[str, Variant], may_try: bool = True) -> ProbeResult:
        """Return the result for the modules of these variants, by name, testing them in this order if there is none.

        Testing takes seconds; without `may_try`, untested modules count as not working yet.
        """
        request = self.request(config, variants)
        if isinstance(request, ProbeResult):
            return request
        if may_try:
            return request.place.found_by(partial(run_probe, request))
        return request.place.load() or ProbeResult(False, "not tested yet")

    def request(self, config: ModelConfig, variants: Mapping[str, Variant]) -> TrialRequest | ProbeResult:
        """Return the trial of the modules of these variants, by name, or a negative result if some cannot be used."""
        folders = {}
        for name, variant in {CPU_DEVICE: CPU, **variants}.items():
            found = find_modules(config, variant)
            if found.folder is None:
                return ProbeResult(False, f"the modules for {name} can’t be used: {found.problem}")
            folders[name] = found.folder
        limited = tuple(tuple(min(count, config.token_limit) for count in batch) for batch in self.batches)
        return TrialRequest(replace(self, batches=limited), config, folders.pop(CPU_DEVICE), folders)


@dataclass(frozen=True)
class TrialRequest:
    """A trial for a child process, which compares the folders in `tried`, by name, with `reference`."""

    trial: ProbeTrial
    config: ModelConfig
    reference: Path
    tried: Mapping[str, Path]

    @property
    def place(self) -> StoredResult:
        """The place of the cached result."""
        modules = libraries_key(*map(Manifest.load, self.tried.values()))
        return StoredResult(self.trial.name, modules, frozenset(self.tried))


def run_probe(request: TrialRequest, seconds: float = PROBE_SECONDS) -> ProbeResult:
    """Run the trial in a child process; a crash and a timeout are results too."""
    try:
        return ProbeResult(True, seconds=call(tried, request, seconds=seconds, until_exit=True))
    except CallTimedOut:
        return ProbeResult(False, f"it timed out after {seconds:g} seconds")
    except ProcessEnded as ended:
        died = ended.code < 0 or ended.code == signal.SIGABRT
        return ProbeResult(False, f"its process ended ({ended.words})" if died else ended.words)
    except EngineError as error:
        return ProbeResult(False, str(error))


def tried(request: TrialRequest) -> dict[str, float]:
    """Return the time of each of the tested modules, by name. Raises `EngineError` if one cannot be used."""
    from engine.runtime.preparation.module_probe import measured_seconds  # which needs this module

    abort_quietly()
    try:
        return measured_seconds(request)
    except (EngineError, RuntimeError) as error:
        raise EngineError(" ".join(str(error).split())) from error
