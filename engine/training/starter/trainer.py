"""The training loop of one stage: schedule, moving average, checkpoints, progress."""

from __future__ import annotations

import io
import math
import random
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Protocol

import torch
from torch import nn

from engine.errors import DamagedFile
from engine.network.architecture import Network
from engine.system.atomic_write import atomic_write

Measures = Mapping[str, float]
SAVE_SECONDS = 60.0
REPORT_STEPS = 50


@dataclass(frozen=True)
class Schedule:
    """The duration of a stage's training (CPU minutes), and its learning rate."""

    cpu_minutes: float
    learning_rate: float
    warm_up_steps: int = 50
    final_share: float = 0.04
    average_decay: float = 0.998
    max_gradient: float = 5.0

    def rate(self, step: int, fraction: float) -> float:
        """Return the learning rate: a linear start, then half a cosine down to `final_share`."""
        cosine = 0.5 * (1 + math.cos(math.pi * min(fraction, 1.0)))
        warm = min(1.0, (step + 1) / self.warm_up_steps)
        return self.learning_rate * warm * (cosine * (1 - self.final_share) + self.final_share)


class TrainingStage(Protocol):
    """A trainable stage: modules by name, a loss, figures on held-out speech.

    `rate_shares` scales the learning rate of a module, by 1 if it has no entry.
    """

    name: str
    modules: dict[str, nn.Module]
    rate_shares: dict[str, float]

    def loss(self, chance: random.Random) -> tuple[torch.Tensor, dict[str, float]]:
        """Return the loss of a random batch, and the figures to show."""
        ...

    def validate(self) -> dict[str, float]:
        """Return figures on held-out speech, by name."""
        ...


@dataclass(frozen=True)
class StageProgress:
    """The progress of a stage; `measures` are means since the last report."""

    stage: str
    step: int
    cpu_seconds: float
    fraction: float
    measures: Measures


class Trainer:
    """Trains one stage and saves its state in one file, from which it continues after an interruption.

    The constructor raises `DamagedFile` for a file that cannot be read or has the state of a different stage.
    """

    def __init__(self, stage: TrainingStage, schedule: Schedule, checkpoint: Path, seed: int = 0) -> None:
        self.stage = stage
        self.schedule = schedule
        self.checkpoint = checkpoint
        self.step = 0
        self.cpu_seconds = 0.0
        self._chance = random.Random(seed)
        torch.manual_seed(seed)
        self._parameters = [parameter for module in stage.modules.values() for parameter in _trained(module)]
        self._average = [parameter.detach().clone() for parameter in self._parameters]
        self._optimizer = torch.optim.AdamW(_groups(stage), betas=(0.9, 0.99), weight_decay=1e-4)
        if checkpoint.exists():
            with _named(checkpoint):
                self._restore(torch.load(checkpoint, weights_only=True))

    @property
    def fraction(self) -> float:
        """The share of the stage's CPU time already spent."""
        return self.cpu_seconds / (60 * self.schedule.cpu_minutes) if self.schedule.cpu_minutes else 1.0

    def train(self, on_progress: Callable[[StageProgress], None], steps: int | None = None) -> None:
        """Train until the stage's time is spent or `steps` more steps are done, saving about once a minute."""
        self._set_training(True)
        last = None if steps is None else self.step + steps
        saved_at, recent = self.cpu_seconds, list[Measures]()
        while self.fraction < 1 and self.step != last:
            recent.append(self.advance())
            if self.step % REPORT_STEPS == 0:
                on_progress(self._progress(_means(recent)))
                recent = []
            if self.cpu_seconds - saved_at > SAVE_SECONDS:
                self.save()
                saved_at = self.cpu_seconds
        self.save()
        on_progress(self._progress(self.validate()))

    def advance(self) -> dict[str, float]:
        """Take one step of the optimizer; a step whose gradient is not finite changes nothing."""
        began = time.process_time()
        for group in self._optimizer.param_groups:
            group["lr"] = group["share"] * self.schedule.rate(self.step, self.fraction)
        loss, measures = self.stage.loss(self._chance)
        self._optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self._parameters, self.schedule.max_gradient)
        if torch.isfinite(norm):
            self._optimizer.step()
        self.step += 1
        self._follow()
        self.cpu_seconds += time.process_time() - began
        return {**measures, "loss": float(loss.detach()), "gradient": float(norm)}

    def validate(self) -> dict[str, float]:
        """Return the stage's held-out figures with the averaged parameters."""
        self._swap()
        self._set_training(False)
        with torch.no_grad(), without_compiling():
            figures = self.stage.validate()
        self._set_training(True)
        self._swap()
        return figures

    def save(self) -> None:
        """Write the whole state; later stages and the package use the averaged modules.

        Raises `OutputError` if the disk is full; the previous state stays.
        """
        self._swap()
        averaged = {name: _copy(module) for name, module in self.stage.modules.items()}
        self._swap()
        state = {
            "averaged": averaged,
            "current": {name: _copy(module) for name, module in self.stage.modules.items()},
            "optimizer": self._optimizer.state_dict(),
            "step": self.step,
            "cpu_seconds": self.cpu_seconds,
            "chance": list(self._chance.getstate()[1]),
            "torch_chance": torch.get_rng_state(),
        }
        self.checkpoint.parent.mkdir(parents=True, exist_ok=True)
        content = io.BytesIO()
        torch.save(state, content)
        with atomic_write(self.checkpoint) as file:
            file.write(content.getbuffer())

    def _restore(self, state: dict[str, Any]) -> None:
        for kind in ("averaged", "current"):
            for name, module in self.stage.modules.items():
                module.load_state_dict(state[kind][name])
            if kind == "averaged":
                self._average = [parameter.detach().clone() for parameter in self._parameters]
        self._optimizer.load_state_dict(state["optimizer"])
        for group, fresh in zip(self._optimizer.param_groups, _groups(self.stage), strict=True):
            group["share"] = fresh["share"]  # a setting that may change between runs, not state
        self.step, self.cpu_seconds = state["step"], state["cpu_seconds"]
        self._chance.setstate((random.Random.VERSION, tuple(state["chance"]), None))
        torch.set_rng_state(state["torch_chance"])

    @torch.no_grad()
    def _follow(self) -> None:
        decay = min(self.schedule.average_decay, (1 + self.step) / (10 + self.step))
        current = [parameter.detach() for parameter in self._parameters]
        torch._foreach_mul_(self._average, decay)
        torch._foreach_add_(self._average, current, alpha=1 - decay)

    @torch.no_grad()
    def _swap(self) -> None:
        for parameter, average in zip(self._parameters, self._average, strict=True):
            kept = parameter.detach().clone()
            parameter.copy_(average)
            average.copy_(kept)

    def _set_training(self, training: bool) -> None:
        for module in self.stage.modules.values():
            module.train(training)

    def _progress(self, measures: Measures) -> StageProgress:
        return StageProgress(self.stage.name, self.step, self.cpu_seconds, min(self.fraction, 1.0), dict(measures))


def load_averaged(checkpoint: Path, modules: Mapping[str, nn.Module]) -> None:
    """Load the averaged parameters of a finished stage into modules; modules it did not train stay unchanged.

    Raises `DamagedFile`.
    """
    with _named(checkpoint):
        averaged = torch.load(checkpoint, weights_only=True)["averaged"]
        for name, module in modules.items():
            if name in averaged:
                module.load_state_dict(averaged[name])


@contextmanager
def _named(checkpoint: Path) -> Iterator[None]:
    """Convert the errors that torch raises for unexpected content to `DamagedFile`."""
    try:
        yield
    except (EOFError, KeyError, TypeError, ValueError, RuntimeError, UnpicklingError) as error:
        raise DamagedFile(
            checkpoint,
            f"The checkpoint {checkpoint} is damaged, or of a different model.",
            "Delete it to train this stage again, or choose a different folder.",
        ) from error


def _means(rows: list[Measures]) -> dict[str, float]:
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def _trained(module: nn.Module) -> list[nn.Parameter]:
    return [parameter for parameter in module.parameters() if parameter.requires_grad]


def _groups(stage: TrainingStage) -> list[dict[str, Any]]:
    return [
        {"params": _trained(module), "share": stage.rate_shares.get(name, 1.0)}
        for name, module in stage.modules.items()
    ]


def _copy(module: nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}


def compile_generator_blocks(network: Network) -> bool:
    """Let torch fuse the residual blocks for one fixed shape; return False if no C++ compiler is installed."""
    if not any(shutil.which(name) for name in ("c++", "g++", "clang++")):
        return False
    generator = network.decoder.generator
    for block in (*generator.resblocks, *generator.noise_res):
        block.compile(dynamic=False)
    return True


@contextmanager
def without_compiling() -> Iterator[None]:
    """Run compiled blocks uncompiled, for inputs of any other shape."""
    with torch.compiler.set_stance("force_eager"):
        yield
