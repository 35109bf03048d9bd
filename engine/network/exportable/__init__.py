"""The device stages as torch modules over a network's own parameters, for batches of any length.

Each computes, on every sequence of a batch, what kokoro's modules compute on that sequence alone; nothing beyond a
sequence's length reaches its result. Every module can be exported whole with symbolic batch, tokens and frames. Lengths
start at 1 token and 1 frame; token counts include the two border tokens, if any.
"""

from __future__ import annotations

from torch import nn

from engine.network.architecture import Network
from engine.network.exportable.probing import ProbedModule, probe_paths
from engine.network.exportable.prosody import Duration, PitchAndEnergy
from engine.network.exportable.speech import Decoder, Source, Waveform
from engine.network.exportable.text import Bert, TextEncoder
from engine.network.ops.packed_lstm import LstmSemantics
from engine.stages import stage_named


def exportable_stages(
    network: Network, semantics: LstmSemantics = LstmSemantics.PACKED, probed: bool = False
) -> dict[str, nn.Module]:
    """One module per device stage, by stage name.

    `forward` takes the stage's declared inputs and returns its declared outputs, in order. The network's weight norm
    must be folded: parameters then have the names of `engine.network.weights`. Only packed `semantics` keep the promise
    that nothing beyond a sequence's length reaches its result. With `probed`, a stage with probes is a `ProbedModule`
    and returns their values too.
    """
    stages: dict[str, nn.Module] = {
        "bert": Bert(network),
        "duration": Duration(network, semantics),
        "f0n": PitchAndEnergy(network, semantics),
        "text_encoder": TextEncoder(network, semantics),
        "source": Source(network),
        "decoder": Decoder(network),
        "istft": Waveform(network),
    }
    return {name: _probed(network, name, module) for name, module in stages.items()} if probed else stages


def _probed(network: Network, name: str, module: nn.Module) -> nn.Module:
    paths = probe_paths(network, stage_named(name))
    return ProbedModule(module, paths) if paths else module
