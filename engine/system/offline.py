"""Keeps libraries that could reach for the network from doing so.

It does not know which libraries are used; only `engine.model_store.download` undoes this, for its own process.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

SETTINGS = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_UPDATE_CHECK": "1"}
"""Read by the hub's client when it is imported; processes that are started inherit them."""


def stay_offline(environment: MutableMapping[str, str] = os.environ) -> None:
    """To be called before anything else."""
    environment.update(SETTINGS)
