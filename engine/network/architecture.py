"""The architecture of kokoro's network at any width, built from the kokoro package's own blocks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from kokoro.istftnet import AdainResBlk1d, Decoder, Generator
from kokoro.model import KModel
from kokoro.modules import CustomAlbert, ProsodyPredictor, TextEncoder
from torch import nn
from torch.nn.utils import weight_norm
from transformers import AlbertConfig

from engine.config import ModelConfig

KOKORO_DECODER_DIM = 1024
KOKORO_ASR_RES_DIM = 64
_KNOWN_WARNINGS = ("dropout option adds dropout after all but last", ".*weight_norm` is deprecated")
"""torch's warnings about kokoro's modules: dropout on LSTMs of one layer, and an old form of weight norm."""


class NetworkDecoder(Decoder):  # type: ignore[misc]
    """kokoro's decoder with its three fixed widths taken from the config.

    Module names, graph, inputs and outputs are those of `kokoro.istftnet.Decoder`, whose constructor has
    1024, 512 and 64 as literals; only the constructor is replaced.
    """

    def __init__(
        self,
        dim_in: int,
        style_dim: int,
        decoder_dim: int = KOKORO_DECODER_DIM,
        asr_res_dim: int = KOKORO_ASR_RES_DIM,
        **generator: Any,
    ) -> None:
        nn.Module.__init__(self)
        dim_out = generator["upsample_initial_channel"]
        joined_dim = decoder_dim + 2 + asr_res_dim
        self.encode = AdainResBlk1d(dim_in + 2, decoder_dim, style_dim)
        self.decode = nn.ModuleList([AdainResBlk1d(joined_dim, decoder_dim, style_dim) for _ in range(3)])
        self.decode.append(AdainResBlk1d(joined_dim, dim_out, style_dim, upsample=True))
        self.F0_conv = _curve_convolution()
        self.N_conv = _curve_convolution()
        self.asr_res = nn.Sequential(weight_norm(nn.Conv1d(dim_in, asr_res_dim, kernel_size=1)))
        self.generator = Generator(style_dim, **generator)


class Network(KModel):  # type: ignore[misc]
    """`kokoro.KModel` of any width: same graph, same module names, same state-dict keys.

    The inherited `forward` and `forward_with_tokens` work unchanged. Building accesses neither the hub nor the disk.
    """

    config: ModelConfig
    vocab: Mapping[str, int]
    bert: Any
    bert_encoder: Any
    predictor: Any
    text_encoder: Any
    decoder: Any

    def __init__(self, config: ModelConfig) -> None:
        nn.Module.__init__(self)
        values = config.to_dict()
        self.config = config
        self.vocab = values["vocab"]
        self.bert = CustomAlbert(AlbertConfig(vocab_size=values["n_token"], **values["plbert"]))
        self.bert_encoder = nn.Linear(self.bert.config.hidden_size, values["hidden_dim"])
        self.context_length = self.bert.config.max_position_embeddings
        self.predictor = _predictor(values)
        self.text_encoder = _text_encoder(values)
        self.decoder = NetworkDecoder(values["hidden_dim"], values["style_dim"], **values["istftnet"])


def build_network(config: ModelConfig) -> Network:
    """Build a network with random parameters, in evaluation mode."""
    with warnings.catch_warnings():
        for message in _KNOWN_WARNINGS:
            warnings.filterwarnings("ignore", message)
        network = Network(config)
    network.eval()
    return network


def _curve_convolution() -> nn.Module:
    return weight_norm(nn.Conv1d(1, 1, kernel_size=3, stride=2, padding=1))


def _predictor(values: dict[str, Any]) -> Any:
    return ProsodyPredictor(
        style_dim=values["style_dim"],
        d_hid=values["hidden_dim"],
        nlayers=values["n_layer"],
        max_dur=values["max_dur"],
        dropout=values["dropout"],
    )


def _text_encoder(values: dict[str, Any]) -> Any:
    return TextEncoder(
        channels=values["hidden_dim"],
        kernel_size=values["text_encoder_kernel_size"],
        depth=values["n_layer"],
        n_symbols=values["n_token"],
    )
