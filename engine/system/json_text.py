"""JSON from files that may be damaged: whatever is wrong with it is a `ValueError`."""

from __future__ import annotations

import json
from typing import Any


def json_value(text: str | bytes) -> Any:
    """What a JSON text says; raises `ValueError` for anything else, also for what is nested too deeply to be read."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("The JSON is nested too deeply.") from error
