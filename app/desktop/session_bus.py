"""The bus on which the programs of a Linux desktop talk to each other."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def session_bus_address(environment: Mapping[str, str] = os.environ) -> str | None:
    """Where the bus of this desktop session listens; None if there is none."""
    if sys.platform != "linux":
        return None
    if address := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    usual = Path(environment.get("XDG_RUNTIME_DIR", ""), "bus")
    return f"unix:path={usual}" if usual.is_absolute() and usual.exists() else None
