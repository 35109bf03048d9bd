"""Runs the whole training in order: the teacher's examples, text stage, front, generator, both together, package.

Finished steps are found in the work folder and not repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import nn

from engine.config import BertConfig, GeneratorConfig, ModelConfig
from engine.errors import EngineError
from engine.network.architecture import Network, build_network
from engine.system.paths import resources_folder
from engine.training.starter.batches import TrainingItem
from engine.training.starter.corpus import HELD_OUT, Shard, load_examples, record, shards
from engine.training.starter.options import TrainOptions, TrainProgress
from engine.training.starter.package import LAST_RESORT, write_package
from engine.training.starter.sound_stages import (
    FrontStage,
    SoundStage,
    front_modules,
    generator_modules,
    prepare_decoder,
)
from engine.training.starter.teacher import KokoroTeacher, open_teacher
from engine.training.starter.text_stage import TextStage, prepare_predictor, text_modules
from engine.training.starter.texts import missing_symbols
from engine.training.starter.trainer import (
    Schedule,
    StageProgress,
    Trainer,
    TrainingStage,
    compile_generator_blocks,
    load_averaged,
)
from engine.training.starter.voices import MERGING, STARTER_VOICES, TeacherParts, load_parts, save_parts
from engine.training.starter.warm_start import load_start, read_start

OnProgress = Callable[[TrainProgress], None]

CORPUS_FOLDER = "corpus"
TEXT_BATCH, FRONT_BATCH, SOUND_BATCH = 12, 8, 2
PIECE_FRAMES = 80
JOINT_FRONT_SHARE = 0.3
VALIDATION_STRIDE = 20
"""The stride between the held-out utterances that are used during training."""


@dataclass(frozen=True)
class TrainingSet:
    """The teacher's examples of all voices, for training and held out, and its parts."""

    training: tuple[TrainingItem, ...]
    held_out: tuple[TrainingItem, ...]
    parts: TeacherParts

    @property
    def symbols(self) -> frozenset[str]:
        """Every symbol in the training examples."""
        return frozenset().union(*(item.example.phonemes for item in self.training))


@dataclass(frozen=True)
class TrainingPlan:
    """The plan of a stage: the stages that it starts from, its constructor, its need of sound, and its schedule.

    The time of the schedule is not set.
    """

    needs: tuple[str, ...]
    make: Callable[[Network, TrainingSet], TrainingStage]
    with_sound: bool
    schedule: Schedule


def train(options: TrainOptions, on_progress: OnProgress) -> Path:
    """Train the starter model and write its package; return the package's folder.

    Raises `MissingModel` if examples are missing and the teacher is not installed, `DamagedFile`, and before any work
    `InvalidRequest` for an initial package with a different architecture.
    """
    torch.set_num_threads(1)
    config = starter_config(_kokoro_vocabulary())
    if options.start is not None:
        read_start(options.start, config)
    _record(options, config, on_progress)
    for name in options.minutes:
        _train_stage(name, options, config, on_progress)
    return package(options, config, _material(options, with_sound=False))


def package(options: TrainOptions, config: ModelConfig, material: TrainingSet) -> Path:
    """Write the package from the checkpoints, finished or not; return its folder."""
    network = new_network(config, options, material.parts)
    _load(network, options, ("text", "front", "generator", "joint"))
    write_package(options.output_folder, network, material.parts, material.symbols | {LAST_RESORT})
    return options.output_folder


def new_network(config: ModelConfig, options: TrainOptions, parts: TeacherParts) -> Network:
    """Return a network with random parameters, or those of the initial package, and the teacher's merging layer.

    Equal seeds yield equal ones; the merging layer is not trained.
    """
    torch.manual_seed(options.seed)
    network = build_network(config)
    prepare_decoder(network)
    prepare_predictor(network)
    if options.start is not None:
        load_start(network, options.start, parts)
    for name in MERGING:
        parameter = network.get_parameter(name)
        parameter.data.copy_(torch.from_numpy(parts.merging[name]))
        parameter.requires_grad_(False)
    return network


def _record(options: TrainOptions, config: ModelConfig, on_progress: OnProgress) -> None:
    """Record the examples that are missing in the work folder."""
    wanted = list(shards(STARTER_VOICES, options.rounds))
    missing = [shard for shard in wanted if not (_corpus(options) / shard.path).exists()]
    if not missing and _parts(options).exists():
        return
    teacher = open_teacher(config)
    try:
        _keep_parts(_parts(options), teacher)
        left = 60 * sum(options.minutes.values())

        def show(shard: Shard) -> None:
            fraction = (1 + wanted.index(shard)) / len(wanted)
            on_progress(TrainProgress(f"recording {shard.voice}", fraction, left, {}))

        record(_corpus(options), missing, teacher, show)
    finally:
        teacher.close()


def _keep_parts(path: Path, teacher: KokoroTeacher) -> None:
    """Save the teacher's parts; raises `EngineError` if the examples are those of a different teacher."""
    if not path.exists():
        save_parts(path, teacher.parts())
    elif load_parts(path).identity != teacher.checkpoint.identity:
        raise EngineError(
            f"The training data in {path.parent} is from a different teacher, not the one installed.",
            "Choose a different --work-dir, or install their teacher.",
        )


def _material(options: TrainOptions, with_sound: bool) -> TrainingSet:
    """Load the recorded examples: with sound, only those that have it; without, all."""
    parts = load_parts(_parts(options))
    training: list[TrainingItem] = []
    held_out: list[TrainingItem] = []
    for shard in shards(STARTER_VOICES, options.rounds):
        if with_sound <= shard.with_sound and (_corpus(options) / shard.path).exists():
            examples = load_examples(_corpus(options) / shard.path, with_sound)
            items = [TrainingItem(each, shard.voice, parts.style(shard.voice, len(each.phonemes))) for each in examples]
            (held_out if shard.kind == HELD_OUT else training).extend(items)
    return TrainingSet(tuple(training), tuple(held_out), parts)


def _train_stage(name: str, options: TrainOptions, config: ModelConfig, on_progress: OnProgress) -> None:
    plan = TRAINING_STAGES[name]
    material = _material(options, plan.with_sound)
    missing = missing_symbols(item.example.phonemes for item in material.training)
    if missing and not plan.with_sound:
        raise EngineError(f"The training data lacks the symbols {' '.join(sorted(missing))}.", "Record more rounds.")
    network = new_network(config, options, material.parts)
    _load(network, options, plan.needs)
    if options.compile_blocks and name in ("generator", "joint"):
        compile_generator_blocks(network)
    stage = plan.make(network, material)
    schedule = replace(plan.schedule, cpu_minutes=options.minutes[name])
    trainer = Trainer(stage, schedule, _checkpoint(options, name), options.seed)
    if trainer.fraction < 1:
        trainer.train(lambda progress: on_progress(_overall(progress, options)))


def _text_stage(network: Network, material: TrainingSet) -> TrainingStage:
    return TextStage(network, material.training, material.held_out[::VALIDATION_STRIDE], TEXT_BATCH)


def _front_stage(network: Network, material: TrainingSet) -> TrainingStage:
    return FrontStage(network, material.training, material.held_out[::VALIDATION_STRIDE], FRONT_BATCH)


def _generator_stage(network: Network, material: TrainingSet) -> TrainingStage:
    return _sound_stage(network, material, joint=False)


def _joint_stage(network: Network, material: TrainingSet) -> TrainingStage:
    return _sound_stage(network, material, joint=True)


def _sound_stage(network: Network, material: TrainingSet, joint: bool) -> TrainingStage:
    held_out = material.held_out[::VALIDATION_STRIDE]
    return SoundStage(network, material.training, held_out, SOUND_BATCH, PIECE_FRAMES, joint, JOINT_FRONT_SHARE)


TRAINING_STAGES = {
    "text": TrainingPlan((), _text_stage, False, Schedule(0, 1.5e-3, warm_up_steps=100)),
    "front": TrainingPlan((), _front_stage, True, Schedule(0, 2e-3, average_decay=0.995, max_gradient=2.0)),
    "generator": TrainingPlan((), _generator_stage, True, Schedule(0, 2e-3, warm_up_steps=100, final_share=0.3)),
    "joint": TrainingPlan(
        ("front", "generator"), _joint_stage, True, Schedule(0, 1e-3, warm_up_steps=100, final_share=0.03)
    ),
}
"""The stages in the order of training; text, front and generator are independent.

The joint stage starts from front and generator.
"""


def _load(network: Network, options: TrainOptions, names: Sequence[str]) -> None:
    """Load the stages that were trained, in order."""
    modules: dict[str, nn.Module] = text_modules(network) | front_modules(network) | generator_modules(network)
    for name in names:
        if _checkpoint(options, name).exists():
            load_averaged(_checkpoint(options, name), modules)


def _overall(progress: StageProgress, options: TrainOptions) -> TrainProgress:
    names = list(options.minutes)
    later = sum(options.minutes[name] for name in names[names.index(progress.stage) + 1 :])
    left = options.minutes[progress.stage] * (1 - progress.fraction) + later
    return TrainProgress(progress.stage, progress.fraction, 60 * left, progress.measures)


def _kokoro_vocabulary() -> dict[str, int]:
    text = (resources_folder() / "kokoro-82m" / "config.json").read_text(encoding="utf-8")
    vocabulary: dict[str, int] = json.loads(text)["vocab"]
    return vocabulary


def _corpus(options: TrainOptions) -> Path:
    return options.work_folder / CORPUS_FOLDER


def _parts(options: TrainOptions) -> Path:
    return _corpus(options) / "teacher.safetensors"


def _checkpoint(options: TrainOptions, stage: str) -> Path:
    return options.work_folder / f"{stage}.pt"


STYLE_DIM = 128
"""The width at which Kokoro splits a voice's style vector; no model of this graph can use a different one."""
HIDDEN_DIM = 128
DECODER_DIM = 256
ASR_RES_DIM = 32
GENERATOR_DIM = 128


def starter_config(vocabulary: Mapping[str, int]) -> ModelConfig:
    """Return the starter's config over Kokoro's vocabulary."""
    return ModelConfig(
        hidden_dim=HIDDEN_DIM,
        style_dim=STYLE_DIM,
        n_layer=2,
        n_token=1 + max(vocabulary.values()),
        max_dur=50,
        n_mels=80,
        dropout=0.1,
        text_encoder_kernel_size=5,
        plbert=BertConfig(
            hidden_size=HIDDEN_DIM,
            num_attention_heads=4,
            intermediate_size=2 * HIDDEN_DIM,
            max_position_embeddings=512,
            num_hidden_layers=2,
        ),
        istftnet=starter_generator(),
        vocab=dict(vocabulary),
    )


def starter_generator() -> GeneratorConfig:
    """Return decoder and generator widths; rates, hop and FFT are Kokoro's."""
    return GeneratorConfig(
        upsample_kernel_sizes=(20, 12),
        upsample_rates=(10, 6),
        gen_istft_hop_size=5,
        gen_istft_n_fft=20,
        resblock_dilation_sizes=((1, 3, 5), (1, 3, 5)),
        resblock_kernel_sizes=(3, 7),
        upsample_initial_channel=GENERATOR_DIM,
        decoder_dim=DECODER_DIM,
        asr_res_dim=ASR_RES_DIM,
    )
