"""Compares the modules built for this machine with the shipped ones, by the time they take here for the same speech."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

from engine.artifacts.comparison import Comparison
from engine.artifacts.manifest import CPU
from engine.artifacts.packed_weights import PackedWeights, part_of
from engine.benchmark.utterances import inputs_of, make_utterance
from engine.errors import MissingModel
from engine.estimate.lengths import natural_length
from engine.model_store.checkpoints import Checkpoint, installed_models, model_config, open_checkpoint
from engine.preparation.module_choice import ModuleSets, module_sets
from engine.preparation.modules import PreparationObserver, sole_maker
from engine.preparation.weights import TITLE, find_weights, pack, packed_weights_path
from engine.runners.base import Runner
from engine.speech import Array, PreparationEvent
from engine.stages import DEVICE_STAGES

SECONDS = 3.0
"""The length of the speech, about that of a sentence."""
ROUNDS = 5
_ANY_WEIGHTS = "random:0"
"""Weights of a model that is not on this machine: what they are makes no difference to the time."""


def choose_modules(model: str, observe: PreparationObserver) -> Comparison | None:
    """Compare the modules of a model's architecture unless that is done, and see to it that the better ones speak.

    If those built here are faster, the cached weights are packed for them, so that nobody waits for that; the ones in
    use are replaced only then. None where either modules cannot be used. Raises `EngineError` children and `OSError`.
    """
    sets = module_sets(model_config(model), CPU)
    if not sets.libraries or sets.comparison is not None:
        return sets.comparison
    comparison = compare_modules(_checkpoint(model), sets, observe)
    if comparison.built_is_faster:
        _pack_cached_weights(model, sets.built.folder, observe)
    comparison.save(sets.built.folder)
    return comparison


def compare_modules(checkpoint: Checkpoint, sets: ModuleSets, observe: PreparationObserver) -> Comparison:
    """Time both sets of modules, which can be used, in turns; each is as fast as in its best round."""
    with (
        closing(_runner(checkpoint, sets.built.folder)) as built,
        closing(_runner(checkpoint, sets.shipped.folder)) as shipped,
    ):
        values = make_utterance(checkpoint.config, natural_length(SECONDS, checkpoint.config), shipped)
        _seconds(built, values)  # the first run is slower
        rounds = []
        for done in range(ROUNDS):
            observe(PreparationEvent("Comparing the modules with those shipped", done, ROUNDS))
            rounds.append((_seconds(built, values), _seconds(shipped, values)))
    built_seconds, shipped_seconds = (min(column) for column in zip(*rounds, strict=True))
    return Comparison(sets.libraries, built_seconds, shipped_seconds)


def _checkpoint(model: str) -> Checkpoint:
    with suppress(MissingModel):
        return open_checkpoint(model)
    return open_checkpoint(model, _ANY_WEIGHTS)


def _runner(checkpoint: Checkpoint, folder: Path) -> Runner:
    from engine.runners.tvm_runner import CompiledRunner  # loads TVM's runtime

    return CompiledRunner(folder, checkpoint.config, _weights(checkpoint, folder))


def _weights(checkpoint: Checkpoint, folder: Path) -> Mapping[str, Array] | PackedWeights:
    """Packed weights if they are cached; nothing is cached for the sake of a comparison."""
    return find_weights(checkpoint, folder) or checkpoint.load_weights()


def _seconds(runner: Runner, values: Mapping[str, Array]) -> float:
    started = time.perf_counter()
    for stage in DEVICE_STAGES:
        runner.run(stage, inputs_of(stage, values))
    return time.perf_counter() - started


def _pack_cached_weights(model: str, folder: Path, observe: PreparationObserver) -> None:
    """Pack anew, for the modules in `folder`, the weights that are cached for any model of this architecture."""
    for name in installed_models():
        path = packed_weights_path(name, None)
        if model_config(name) == model_config(model) and path.exists():
            with sole_maker(path, TITLE, observe, None):
                try:
                    pack(name, None, folder, observe)
                finally:
                    part_of(path).unlink(missing_ok=True)
