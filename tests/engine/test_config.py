import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.config import ModelConfig
from engine.errors import DamagedFile
from engine.system.paths import resources_folder


@pytest.fixture
def full_size() -> ModelConfig:
    return ModelConfig.load(resources_folder() / "kokoro-82m" / "config.json")


def test_rates_follow_from_the_configuration(full_size: ModelConfig) -> None:
    assert full_size.samples_per_frame == 600
    assert full_size.stft_frames_per_frame == 120
    assert full_size.harmonics_channels == 22
    assert full_size.frames_per_second == 40
    assert full_size.phoneme_limit == 510


def test_widths_the_kokoro_package_hard_codes_are_the_default(full_size: ModelConfig) -> None:
    assert full_size.istftnet.decoder_dim == 1024
    assert full_size.istftnet.asr_res_dim == 64


def test_a_configuration_survives_its_own_json(full_size: ModelConfig) -> None:
    assert ModelConfig.from_dict(json.loads(json.dumps(full_size.to_dict()))) == full_size


def test_the_fingerprint_sees_widths_and_not_the_vocabulary(full_size: ModelConfig) -> None:
    assert replace(full_size, vocab={}).fingerprint() == full_size.fingerprint()
    assert replace(full_size, hidden_dim=256).fingerprint() != full_size.fingerprint()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"plbert": 3}', pytest.param("[" * 100_000, id="deep")])
def test_a_damaged_description_says_so(tmp_path: Path, content: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(content)
    with pytest.raises(DamagedFile, match="cannot be read"):
        ModelConfig.load(path)
