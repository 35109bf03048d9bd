"""A package must be taken over as it is, and new voices must begin as its old ones."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.errors import InvalidRequest
from engine.network.architecture import Network, build_network
from engine.training.starter.batches import Item, collate
from engine.training.starter.package import write_package
from engine.training.starter.sound_stages import front_features
from engine.training.starter.text_stage import predicted
from engine.training.starter.voices import TeacherParts
from engine.training.starter.warm_start import load_start

SYMBOLS = frozenset(" .,!?abkzɑˈ")


def network_of(config: ModelConfig, seed: int) -> Network:
    torch.manual_seed(seed)
    return build_network(config)


def test_the_same_voices_keep_every_weight(narrow_config: ModelConfig, parts: TeacherParts, tmp_path: Path) -> None:
    before, after = network_of(narrow_config, 0), network_of(narrow_config, 1)
    write_package(tmp_path, before, parts, SYMBOLS)
    load_start(after, tmp_path, parts)
    for key, tensor in before.state_dict().items():
        if "embedding" not in key:
            assert torch.allclose(after.state_dict()[key], tensor.half().to(tensor.dtype)), key


@torch.no_grad()
def test_new_voices_begin_as_the_old_one_of_their_gender(
    narrow_config: ModelConfig, parts: TeacherParts, items: tuple[Item, ...], tmp_path: Path
) -> None:
    chance = np.random.default_rng(5)
    shape = (1, 1, 2 * narrow_config.style_dim)
    old_packs = {name: chance.standard_normal(shape).astype(np.float32) for name in ("am_old", "af_old")}
    write_package(tmp_path, network_of(narrow_config, 0), dataclasses.replace(parts, packs=old_packs), SYMBOLS)
    old, new = network_of(narrow_config, 0), network_of(narrow_config, 1)
    load_start(old, tmp_path, dataclasses.replace(parts, packs=old_packs))
    load_start(new, tmp_path, parts)
    for item in (items[0], items[2]):
        like = old_packs["a" + item.voice[1] + "_old"][0, 0]
        first_row = dataclasses.replace(item, style=parts.packs[item.voice][0, 0])
        ours, theirs = collate([first_row]), collate([dataclasses.replace(item, style=like)])
        assert near(front_features(new, ours), front_features(old, theirs))
        for mine, wanted in zip(predicted(new, ours), predicted(old, theirs), strict=True):
            assert near(mine, wanted)


def near(ours: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Whether they differ by less than 5 % of the spread: the new styles are turned into the old ones by regression."""
    return float((ours - wanted).norm()) < 0.05 * float(wanted.norm())


def test_another_architecture_is_refused(narrow_config: ModelConfig, parts: TeacherParts, tmp_path: Path) -> None:
    write_package(tmp_path, network_of(narrow_config, 0), parts, SYMBOLS)
    wider = dataclasses.replace(narrow_config, max_dur=9)
    with pytest.raises(InvalidRequest, match="another architecture"):
        load_start(network_of(wider, 1), tmp_path, parts)
