"""Trials of compiled modules in a child process: what is run, and what came of it, which is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.artifacts.manifest import CPU, CPU_DEVICE, Manifest, Variant, libraries_key
from engine.config import ModelConfig
from engine.preparation.module_choice import find_modules
from engine.preparation.probes import KeptResult, ProbeResult
from engine.system.child_process import python_command

_PROGRAM = "engine.preparation.module_probe"


@dataclass(frozen=True)
class Trial:
    """What to run: stages, at most as many tokens as the model takes, and how often.

    `batches` are the token counts of the sequences of each batch. Every batch runs `calls` times, in turn; those of one
    sequence are timed. `name` is what the result is kept as.
    """

    name: str
    stages: tuple[str, ...]
    batches: tuple[tuple[int, ...], ...]
    calls: int

    def result(self, config: ModelConfig, variants: Mapping[str, Variant], may_try: bool = True) -> ProbeResult:
        """What is known about the modules of these variants, by name, which are tried in this order if nothing is.

        Trying takes seconds; unless it `may_try`, what nothing is known about does not work yet.
        """
        request = self.request(config, variants)
        if isinstance(request, ProbeResult):
            return request
        if may_try:
            return request.place.found_by(request.command)
        return request.place.load() or ProbeResult(False, "it has not been tried yet")

    def request(self, config: ModelConfig, variants: Mapping[str, Variant]) -> TrialRequest | ProbeResult:
        """The trial of the modules of these variants, by name; if some cannot be used, that result."""
        folders = {}
        for name, variant in {CPU_DEVICE: CPU, **variants}.items():
            found = find_modules(config, variant)
            if found.folder is None:
                return ProbeResult(False, f"the modules for {name} cannot be used: {found.problem}")
            folders[name] = found.folder
        return TrialRequest(self, config, folders.pop(CPU_DEVICE), folders)


@dataclass(frozen=True)
class TrialRequest:
    """A trial for a child process: the folders in `tried`, by name, are compared with `reference`."""

    trial: Trial
    config: ModelConfig
    reference: Path
    tried: Mapping[str, Path]

    @property
    def place(self) -> KeptResult:
        """Where the result is kept."""
        modules = libraries_key(*map(Manifest.load, self.tried.values()))
        return KeptResult(self.trial.name, modules, frozenset(self.tried))

    @property
    def command(self) -> tuple[str, ...]:
        """The command of the child process, which writes a message with `seconds`, or why the trial failed."""
        return python_command(_PROGRAM, json.dumps(asdict(self), default=str))

    @classmethod
    def from_json(cls, text: str) -> TrialRequest:
        """The request that a `command` carries."""
        values = json.loads(text)
        trial, limit = values["trial"], (config := ModelConfig.from_dict(values["config"])).token_limit
        batches = tuple(tuple(min(count, limit) for count in batch) for batch in trial["batches"])
        return cls(
            Trial(trial["name"], tuple(trial["stages"]), batches, trial["calls"]),
            config,
            Path(values["reference"]),
            {name: Path(folder) for name, folder in values["tried"].items()},
        )
