"""What is written must be read back, verified, and speak with any symbol."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import torch

from engine.config import ModelConfig
from engine.network.architecture import Network, build_network
from engine.starter.package import EMBEDDINGS, read_package, with_stand_ins, write_package
from engine.starter.voices import STARTER_VOICES

TRAINED = frozenset(" .,!?abkɑˈ")


@pytest.fixture(scope="module")
def network(narrow_config: ModelConfig) -> Network:
    torch.manual_seed(0)
    return build_network(narrow_config)


@pytest.fixture(scope="module")
def package(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    width = 2 * network.config.style_dim
    styles = {voice.name: torch.full((width,), float(index)) for index, voice in enumerate(STARTER_VOICES)}
    write_package(folder, network, styles, STARTER_VOICES, TRAINED)
    return folder


def test_weights_come_back_rounded_to_half(network: Network, package: Path) -> None:
    read, _ = read_package(package)
    assert read.config == network.config
    expected = with_stand_ins(network.state_dict(), network.config, TRAINED)
    for key, tensor in read.state_dict().items():
        assert torch.equal(tensor, expected[key].half().to(tensor.dtype)), key


def test_styles_come_back(package: Path, network: Network) -> None:
    _, styles = read_package(package)
    assert list(styles) == sorted(styles)
    for index, voice in enumerate(STARTER_VOICES):
        assert styles[voice.name].shape == (1, 2 * network.config.style_dim)
        assert (styles[voice.name] == index).all()


def test_package_speaks(package: Path) -> None:
    network, styles = read_package(package)
    audio = network("ab, kza.", styles[STARTER_VOICES[0].name])
    assert len(audio) % network.config.samples_per_frame == 0
    assert torch.isfinite(audio).all()


def test_the_contents_name_every_file_with_its_checksum(package: Path) -> None:
    contents = json.loads((package / "manifest.json").read_text(encoding="utf-8"))
    assert set(contents["files"]) == {path.name for path in package.iterdir()} - {"manifest.json"}
    for name, digest in contents["files"].items():
        assert hashlib.sha256((package / name).read_bytes()).hexdigest() == digest
    assert [voice["name"] for voice in contents["voices"]] == [voice.name for voice in STARTER_VOICES]


def test_untrained_symbol_takes_its_neighbours_embedding(network: Network) -> None:
    vocabulary = network.config.vocab
    changed = with_stand_ins(network.state_dict(), network.config, TRAINED - {"!"})
    for key in EMBEDDINGS:
        assert torch.equal(changed[key][vocabulary["!"]], network.state_dict()[key][vocabulary["."]])
        assert torch.equal(changed[key][vocabulary["a"]], network.state_dict()[key][vocabulary["a"]])


def test_there_is_a_male_and_a_female_voice() -> None:
    assert {voice.gender for voice in STARTER_VOICES} == {"male", "female"}
    assert all(voice.name[1] == voice.gender[0] for voice in STARTER_VOICES)
