"""Keeps libraries that could use the network offline; only the process of `engine.model_store.download` undoes it."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

SETTINGS = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_UPDATE_CHECK": "1"}
"""Read by the hub's client when it is imported; child processes inherit them."""


def stay_offline(environment: MutableMapping[str, str] = os.environ) -> None:
    """Apply `SETTINGS`; call it before any library is imported that reads them."""
    environment.update(SETTINGS)
