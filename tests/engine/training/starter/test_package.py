"""A written package must be read back, verified, and speak with any symbol."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.config import ModelConfig
from engine.errors import DamagedFile
from engine.network.architecture import Network, build_network
from engine.system.paths import resources_folder
from engine.training.starter.package import (
    EMBEDDINGS,
    NEAREST_SYMBOL,
    nearest_trained,
    read_package,
    with_stand_ins,
    write_package,
)
from engine.training.starter.texts import US_SYMBOLS
from engine.training.starter.voices import STARTER_VOICES, TeacherParts, load_parts, save_parts

TRAINED = frozenset(" .,!?abkɑˈ")


@pytest.fixture(scope="module")
def network(narrow_config: ModelConfig) -> Network:
    torch.manual_seed(0)
    return build_network(narrow_config)


@pytest.fixture(scope="module")
def package(network: Network, parts: TeacherParts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    write_package(folder, network, parts, TRAINED)
    return folder


def test_weights_come_back_rounded_to_half(network: Network, package: Path) -> None:
    read, _ = read_package(package)
    assert read.config == network.config
    expected = with_stand_ins(network.state_dict(), network.config, TRAINED)
    for key, tensor in read.state_dict().items():
        assert torch.equal(tensor, expected[key].half().to(tensor.dtype)), key


def test_packs_come_back(package: Path, parts: TeacherParts) -> None:
    _, packs = read_package(package)
    assert set(packs) == set(STARTER_VOICES)
    for name, pack in parts.packs.items():
        assert np.array_equal(packs[name].numpy(), pack.astype(np.float16).astype(np.float32))


def test_package_speaks(package: Path) -> None:
    network, packs = read_package(package)
    audio = network("ab, kza.", packs[STARTER_VOICES[0]][0])
    assert len(audio) % network.config.samples_per_frame == 0
    assert torch.isfinite(audio).all()


@pytest.mark.parametrize("name", ["model.safetensors", "voices.safetensors", "config.json"])
def test_a_damaged_package_is_named(package: Path, tmp_path: Path, name: str) -> None:
    broken = tmp_path / "package"
    shutil.copytree(package, broken)
    (broken / name).write_bytes((broken / name).read_bytes()[:40])
    with pytest.raises(DamagedFile, match=r"no readable starter model|be read"):
        read_package(broken)


def test_the_contents_name_every_file_with_its_checksum(package: Path) -> None:
    contents = json.loads((package / "manifest.json").read_text(encoding="utf-8"))
    assert set(contents["files"]) == {path.name for path in package.iterdir()} - {"manifest.json"}
    for name, digest in contents["files"].items():
        assert hashlib.sha256((package / name).read_bytes()).hexdigest() == digest
    assert [voice["name"] for voice in contents["voices"]] == list(STARTER_VOICES)
    assert [voice["language"] for voice in contents["voices"]] == ["en-US", "en-US", "en-GB", "en-GB"]


def test_untrained_symbol_takes_its_neighbors_embedding(network: Network) -> None:
    vocabulary = network.config.vocab
    changed = with_stand_ins(network.state_dict(), network.config, TRAINED - {"!"})
    for key in EMBEDDINGS:
        assert torch.equal(changed[key][vocabulary["!"]], network.state_dict()[key][vocabulary["."]])
        assert torch.equal(changed[key][vocabulary["a"]], network.state_dict()[key][vocabulary["a"]])


SYMBOLS = US_SYMBOLS | set(" .,!?;:")


@pytest.fixture(scope="module")
def vocabulary() -> dict[str, int]:
    text = (resources_folder() / "kokoro-82m" / "config.json").read_text(encoding="utf-8")
    return dict(json.loads(text)["vocab"])


def test_every_untrained_symbol_has_its_own_stand_in(vocabulary: dict[str, int]) -> None:
    for symbol in set(vocabulary) - SYMBOLS:
        assert symbol in NEAREST_SYMBOL, symbol
        assert nearest_trained(symbol, SYMBOLS) in SYMBOLS


def test_chains_are_followed() -> None:
    assert nearest_trained("ɾ", SYMBOLS) == "T"
    assert nearest_trained("ɾ", SYMBOLS - {"T"}) == "t"
    assert nearest_trained("unknown", SYMBOLS) == " "


def test_parts_come_back(parts: TeacherParts, tmp_path: Path) -> None:
    save_parts(tmp_path / "folder" / "teacher.safetensors", parts)
    read = load_parts(tmp_path / "folder" / "teacher.safetensors")
    assert read.identity == parts.identity
    for before, after in ((parts.packs, read.packs), (parts.merging, read.merging)):
        assert set(before) == set(after)
        assert all(np.array_equal(before[name], after[name]) for name in before)


def test_damaged_parts_are_named(parts: TeacherParts, tmp_path: Path) -> None:
    path = tmp_path / "teacher.safetensors"
    save_parts(path, parts)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DamagedFile, match="is damaged"):
        load_parts(path)


@pytest.mark.parametrize(("phonemes", "row"), [(0, 0), (1, 0), (5, 4), (8, 7), (400, 7)])
def test_style_is_the_row_for_the_number_of_phonemes(parts: TeacherParts, phonemes: int, row: int) -> None:
    for voice in STARTER_VOICES:
        assert np.array_equal(parts.style(voice, phonemes), parts.packs[voice][row, 0])
