import pytest
import torch
from kokoro.istftnet import TorchSTFT

from engine.network.real_stft import RealStft

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
