"""A tiny network, its truth and its exportable stages."""

from __future__ import annotations

import pytest
import torch

from engine.config import ModelConfig
from engine.network.architecture import Network
from engine.network.random_weights import network_with, random_weights
from engine.network.reference import Arithmetic, Reference
from engine.runtime.runners.torch_runner import ExportableRunner, ReferenceRunner

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def network(tiny_config: ModelConfig) -> Network:
    return network_with(tiny_config, random_weights(tiny_config, 0))


@pytest.fixture(scope="session")
def truth(network: Network) -> ReferenceRunner:
    return ReferenceRunner(Reference(network, Arithmetic.FLOAT64))


@pytest.fixture(scope="session")
def upstream(network: Network) -> ReferenceRunner:
    return ReferenceRunner(Reference(network, Arithmetic.UPSTREAM))


@pytest.fixture(scope="session")
def exportable(network: Network) -> ExportableRunner:
    return ExportableRunner(network)
