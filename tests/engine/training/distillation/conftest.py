"""A tiny teacher with random weights and two voices, and examples in its few phonemes."""

import random

import numpy as np
import pytest

from engine.models.checkpoints import Checkpoint
from engine.models.voices.packs import Voice, describe
from engine.network.random_weights import random_weights
from engine.training.distillation.shards import Example
from engine.training.distillation.teacher import DistillationTeacher
from tests.engine.tiny_model import TINY


def tiny_checkpoint(seed: int = 1, names: tuple[str, ...] = ("af_heart", "bm_george")) -> Checkpoint:
    chance = np.random.default_rng(seed)
    tables = {name: chance.standard_normal((TINY.phoneme_limit, 1, 2 * TINY.style_dim)) for name in names}
    voices = {name: Voice(describe(name), table.astype(np.float32)) for name, table in tables.items()}
    return Checkpoint("tiny", TINY, voices, lambda: random_weights(TINY, seed), f"identity {seed}")


@pytest.fixture(scope="session")
def teacher() -> DistillationTeacher:
    return DistillationTeacher(tiny_checkpoint())


@pytest.fixture(scope="session")
def examples(teacher) -> list[Example]:
    chance = random.Random(2)
    spoken = ["".join(chance.choices("abcdefghij", k=chance.randint(1, 30))) for _ in range(80)]
    return [
        Example(phonemes, ("en-US", "en-GB")[index % 2], teacher.features(phonemes).astype(np.float16))
        for index, phonemes in enumerate(spoken)
    ]
