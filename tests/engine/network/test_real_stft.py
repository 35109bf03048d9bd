"""The form of the exported files; tests/engine/runtime/runners tests their results."""

import onnx
import pytest
import torch
from kokoro.istftnet import TorchSTFT

from engine.network.onnx_export import OPSET, export_to_onnx
from engine.network.random_weights import random_weights
from engine.network.real_stft import RealStft
from engine.stages import stage_named

SIZE, HOP = 20, 5


@pytest.fixture
def waveform():
    return torch.randn(1, 300, generator=torch.Generator().manual_seed(0))


def test_the_spectrum_is_torchs(waveform):
    magnitude, phase = RealStft(SIZE, HOP).transform(waveform)
    expected = torch.polar(*TorchSTFT(SIZE, HOP, SIZE).transform(waveform))
    torch.testing.assert_close(torch.polar(magnitude, phase), expected, atol=1e-5, rtol=1e-5)


def test_the_inverse_is_torchs(waveform):
    magnitude, phase = TorchSTFT(SIZE, HOP, SIZE).transform(waveform)
    expected = TorchSTFT(SIZE, HOP, SIZE).inverse(magnitude, phase)
    torch.testing.assert_close(RealStft(SIZE, HOP).inverse(magnitude, phase), expected, atol=1e-5, rtol=1e-5)


def test_a_waveform_comes_back(waveform):
    stft = RealStft(SIZE, HOP)
    torch.testing.assert_close(stft.inverse(*stft.transform(waveform))[:, 0], waveform, atol=1e-5, rtol=1e-5)


@pytest.fixture(scope="module")
def exported(tiny_config, tmp_path_factory):
    folder = tmp_path_factory.mktemp("onnx")
    stages = (stage_named("bert"), stage_named("istft"))
    export_to_onnx(tiny_config, random_weights(tiny_config, 0), stages, folder)
    return folder


def test_there_is_a_file_per_stage_and_no_other(exported):
    assert sorted(path.name for path in exported.iterdir()) == ["bert.onnx", "istft.onnx"]


def test_lengths_are_symbolic_and_names_are_the_stages(exported):
    model = onnx.load(exported / "istft.onnx")
    assert [one.name for one in model.graph.input] == ["magnitude", "phase"]
    assert [one.name for one in model.graph.output] == ["audio"]
    extents = model.graph.input[0].type.tensor_type.shape.dim
    assert [bool(extent.dim_param) for extent in extents] == [False, False, True]
    assert model.opset_import[0].version == OPSET


def test_weights_are_in_the_file(exported):
    names = {one.name for one in onnx.load(exported / "bert.onnx").graph.initializer}
    assert any("word_embeddings" in name for name in names)
    assert not any("decoder" in name for name in names)
