"""Makes the data: texts of ours as phonemes of both kinds of English, and the teacher's features of them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from engine.errors import NothingToSpeak
from engine.text.g2p import Phonemizer
from engine.training.distillation.options import DistillOptions
from engine.training.distillation.shards import Example, ShardFolder
from engine.training.distillation.teacher import Teacher
from engine.training.starter.options import TrainProgress
from engine.training.starter.texts import HELD_OUT_SENTENCES, load_lexicon, prompts

SHARD_EXAMPLES = 100


def make_data(teacher: Teacher, options: DistillOptions, on_progress: Callable[[TrainProgress], None]) -> None:
    """Make as many shards as are missing.

    Equal seeds give equal data, however often it was interrupted. Raises the errors of `ShardFolder`.
    """
    kept = ShardFolder(options.data_folder, teacher.identity)
    spoken = phonemised(teacher, options.seed)
    for _ in islice(spoken, kept.count * SHARD_EXAMPLES):
        pass
    began, before = time.monotonic(), kept.count
    while kept.count < options.shards:
        kept.add([_example(teacher, *entry) for entry in islice(spoken, SHARD_EXAMPLES)])
        seconds = (time.monotonic() - began) / (kept.count - before)
        left = seconds * (options.shards - kept.count)
        on_progress(TrainProgress("data", kept.count / options.shards, left, {}))


def phonemised(teacher: Teacher, seed: int) -> Iterator[tuple[str, str]]:
    """Phonemes of passages without end, with the tag of the language, which alternates between those of the voices."""
    tags = sorted({voice.info.language for voice in teacher.voices.values()})
    phonemizers = [Phonemizer(tag, teacher.config.vocab, teacher.config.phoneme_limit) for tag in tags]
    for index, passage in enumerate(passages(seed)):
        turn = index % len(tags)
        try:
            utterances = phonemizers[turn].plan(passage).utterances
        except NothingToSpeak:
            continue
        phonemes = " ".join(utterance.phonemes for utterance in utterances)
        yield phonemes[: teacher.config.phoneme_limit], tags[turn]


def _example(teacher: Teacher, phonemes: str, language: str) -> Example:
    return Example(phonemes, language, teacher.features(phonemes).astype(np.float16))


HELD_OUT_COUNT = 200
SENTENCES_SHARES = {1: 0.6, 2: 0.2, 4: 0.12, 7: 0.03}
"""How many sentences a passage has; the remaining share has one to four words."""
_HELD_OUT_SEED = 7919


def held_out_sentences(count: int = HELD_OUT_COUNT) -> tuple[str, ...]:
    """Up to 200 sentences that no passage repeats: the starter's, then generated ones."""
    generated = prompts(HELD_OUT_COUNT - len(HELD_OUT_SENTENCES), _HELD_OUT_SEED, load_lexicon())
    return (*HELD_OUT_SENTENCES, *generated)[:count]


def passages(seed: int) -> Iterator[str]:
    """Passages without end, equal for equal seeds; no sentence of theirs is held out."""
    chance = random.Random(seed)
    taken = set(held_out_sentences())
    lexicon = load_lexicon()
    while True:
        sentences = [sentence for sentence in prompts(500, chance.randrange(1 << 30), lexicon) if sentence not in taken]
        while len(sentences) >= max(SENTENCES_SHARES):
            yield _passage(sentences, chance)


def _passage(sentences: list[str], chance: random.Random) -> str:
    """A passage from the last sentences of the list, which are removed."""
    counts, shares = list(SENTENCES_SHARES), list(SENTENCES_SHARES.values())
    count = chance.choices([*counts, 0], [*shares, 1 - sum(shares)])[0]
    if count:
        return " ".join(sentences.pop() for _ in range(count))
    words = sentences.pop().split()
    first = chance.randrange(len(words))
    return " ".join(words[first : first + chance.randint(1, 4)])
