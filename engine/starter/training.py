"""The whole training in order: recordings, text stage, front, generator, both together, package.

A finished step is found in the work folder and not repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from engine.config import ModelConfig
from engine.errors import EngineError
from engine.network.architecture import Network, build_network
from engine.starter.acceleration import compile_generator_blocks
from engine.starter.acoustic_stages import FrontStage, SoundStage, front_modules, generator_modules, prepare_decoder
from engine.starter.architecture import starter_config
from engine.starter.batches import Item
from engine.starter.corpus import CorpusRequest, load_corpus, record, save_corpus
from engine.starter.heldout import HELD_OUT_SENTENCES
from engine.starter.options import TrainOptions, TrainProgress
from engine.starter.package import write_package
from engine.starter.pronunciation import misaki_pronunciations
from engine.starter.symbols import LAST_RESORT
from engine.starter.text_stage import TextStage, prepare_predictor
from engine.starter.texts import load_lexicon, missing_symbols, prompts
from engine.starter.trainer import Progress, Schedule, Trainer, TrainingStage, load_averaged
from engine.starter.voices import STARTER_VOICES, open_teacher
from engine.system.paths import resources_folder

OnProgress = Callable[[TrainProgress], None]

TEXT_BATCH, FRONT_BATCH, SOUND_BATCH = 12, 8, 4
SEGMENT_FRAMES = 40
JOINT_FRONT_SHARE = 0.25
INITIAL_STYLE_DEVIATION = 0.5
VALIDATION_STRIDE = 8
"""One in this many held-out utterances is used during training."""


@dataclass(frozen=True)
class Material:
    """Recordings of all voices: those to learn from, and those held out."""

    training: tuple[Item, ...]
    held_out: tuple[Item, ...]

    @property
    def symbols(self) -> frozenset[str]:
        """Every symbol that was spoken."""
        return frozenset().union(*(item.example.phonemes for item in self.training))


@dataclass(frozen=True)
class Learner:
    """The network with the style vectors of its voices: timbre for the decoder, prosody for the predictor."""

    network: Network
    timbres: nn.Embedding
    prosodies: nn.Embedding


def train(options: TrainOptions, on_progress: OnProgress) -> Path:
    """Train the starter model and write its package; returns the package's folder.

    Raises `EngineError` naming the command that installs a missing teacher.
    """
    for voice in STARTER_VOICES:
        if not _corpus(options, voice.name).exists():
            open_teacher(voice)
    torch.set_num_threads(1)
    config = starter_config(_kokoro_vocabulary())
    material = _material(options, config, on_progress)
    for name in TRAINING_STAGES:
        _train_stage(name, options, config, material, on_progress)
    return package(options, config, material)


def package(options: TrainOptions, config: ModelConfig, material: Material) -> Path:
    """Write the package from the checkpoints, finished or not; returns its folder."""
    learner = new_learner(config, options.seed)
    _load(learner, options, ("text", "joint"))
    pairs = torch.cat([learner.timbres.weight, learner.prosodies.weight], 1)
    styles = {voice.name: pairs[index] for index, voice in enumerate(STARTER_VOICES)}
    trained = material.symbols | {LAST_RESORT}
    write_package(options.output_folder, learner.network, styles, STARTER_VOICES, trained)
    return options.output_folder


def new_learner(config: ModelConfig, seed: int) -> Learner:
    """A network with random parameters and random styles; equal seeds give equal ones."""
    torch.manual_seed(seed)
    network = build_network(config)
    prepare_decoder(network)
    timbres = nn.Embedding(len(STARTER_VOICES), config.style_dim)
    nn.init.normal_(timbres.weight, std=INITIAL_STYLE_DEVIATION)
    prosodies = nn.Embedding(len(STARTER_VOICES), config.style_dim)
    nn.init.normal_(prosodies.weight, std=INITIAL_STYLE_DEVIATION)
    prepare_predictor(network)
    return Learner(network, timbres, prosodies)


def _train_stage(
    name: str, options: TrainOptions, config: ModelConfig, material: Material, on_progress: OnProgress
) -> None:
    learner = new_learner(config, options.seed)
    _load(learner, options, TRAINING_STAGES[name].needs)
    if options.compile_blocks and name in ("generator", "joint"):
        compile_generator_blocks(learner.network)
    stage = TRAINING_STAGES[name].make(learner, material)
    minutes = getattr(options.minutes, name)
    trainer = Trainer(stage, TRAINING_STAGES[name].schedule(minutes), _checkpoint(options, name), options.seed)
    if trainer.fraction < 1:
        trainer.run(lambda progress: on_progress(_overall(progress, options)))


@dataclass(frozen=True)
class TrainingPlan:
    """How a stage is made, which stages it starts from, and its schedule for a number of minutes."""

    needs: tuple[str, ...]
    make: Callable[[Learner, Material], TrainingStage]
    schedule: Callable[[float], Schedule]


def _text_stage(learner: Learner, material: Material) -> TrainingStage:
    held_out = material.held_out[::VALIDATION_STRIDE]
    return TextStage(learner.network, learner.prosodies, material.training, held_out, TEXT_BATCH)


def _front_stage(learner: Learner, material: Material) -> TrainingStage:
    held_out = material.held_out[::VALIDATION_STRIDE]
    return FrontStage(learner.network, learner.timbres, material.training, held_out, FRONT_BATCH)


def _sound_stage(learner: Learner, material: Material, joint: bool) -> TrainingStage:
    return SoundStage(
        learner.network,
        learner.timbres,
        material.training,
        material.held_out[::VALIDATION_STRIDE],
        {index: voice.bandwidth_hz for index, voice in enumerate(STARTER_VOICES)},
        SOUND_BATCH,
        SEGMENT_FRAMES,
        joint,
        JOINT_FRONT_SHARE,
    )


TRAINING_STAGES = {
    "text": TrainingPlan((), _text_stage, lambda minutes: Schedule(minutes, 1.5e-3, warm_up_steps=100)),
    "front": TrainingPlan(
        (), _front_stage, lambda minutes: Schedule(minutes, 2e-3, average_decay=0.995, largest_gradient=2.0)
    ),
    "generator": TrainingPlan(
        (),
        lambda learner, material: _sound_stage(learner, material, joint=False),
        lambda minutes: Schedule(minutes, 2e-3, warm_up_steps=100, final_share=0.3),
    ),
    "joint": TrainingPlan(
        ("front", "generator"),
        lambda learner, material: _sound_stage(learner, material, joint=True),
        lambda minutes: Schedule(minutes, 1e-3, warm_up_steps=100, final_share=0.03),
    ),
}
"""In the order of training. Text, front and generator are independent; joint starts from front and generator."""


def _load(learner: Learner, options: TrainOptions, names: Sequence[str]) -> None:
    network = learner.network
    modules: dict[str, nn.Module] = {
        "bert": network.bert,
        "bert_encoder": network.bert_encoder,
        "predictor": network.predictor,
        "prosodies": learner.prosodies,
        "timbres": learner.timbres,
        **front_modules(network),
        **generator_modules(network),
    }
    for name in names:
        load_averaged(_checkpoint(options, name), modules)


def _material(options: TrainOptions, config: ModelConfig, on_progress: OnProgress) -> Material:
    lexicon = load_lexicon()
    training: list[Item] = []
    held_out: list[Item] = []
    for number, voice in enumerate(STARTER_VOICES):
        sentences = tuple(prompts(options.utterances_per_voice, number, lexicon))
        request = CorpusRequest(voice, sentences)
        training += _recorded(_corpus(options, voice.name), request, number, config, options, on_progress)
        request = CorpusRequest(voice, HELD_OUT_SENTENCES)
        held_out += _recorded(_corpus(options, f"{voice.name}-held-out"), request, number, config, options, on_progress)
    missing = missing_symbols(item.example.phonemes for item in training)
    if missing:
        raise EngineError(
            f"No training text has the symbols {' '.join(sorted(missing))}.", "Record more utterances per voice."
        )
    return Material(tuple(training), tuple(held_out))


def _recorded(
    path: Path, request: CorpusRequest, number: int, config: ModelConfig, options: TrainOptions, on_progress: OnProgress
) -> list[Item]:
    """The recordings in `path`, which are made first if they are missing."""
    if not path.exists():
        stage, left = f"recording {request.voice.name}", 60 * options.minutes.total

        def show(fraction: float) -> None:
            on_progress(TrainProgress(stage, fraction, left, {}))

        teacher = open_teacher(request.voice)
        save_corpus(path, record(teacher, request, misaki_pronunciations(), config, show))
    return [Item(example, number) for example in load_corpus(path)]


def _overall(progress: Progress, options: TrainOptions) -> TrainProgress:
    names = list(TRAINING_STAGES)
    later = sum(getattr(options.minutes, name) for name in names[names.index(progress.stage) + 1 :])
    left = getattr(options.minutes, progress.stage) * (1 - progress.fraction) + later
    return TrainProgress(progress.stage, progress.fraction, 60 * left, progress.measures)


def _kokoro_vocabulary() -> dict[str, int]:
    text = (resources_folder() / "kokoro-82m" / "config.json").read_text(encoding="utf-8")
    vocabulary: dict[str, int] = json.loads(text)["vocab"]
    return vocabulary


def _corpus(options: TrainOptions, name: str) -> Path:
    return options.work_folder / "corpus" / f"{name}.safetensors"


def _checkpoint(options: TrainOptions, stage: str) -> Path:
    return options.work_folder / f"{stage}.pt"
