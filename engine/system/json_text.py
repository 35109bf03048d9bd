"""Reads JSON from files that may be damaged: any failure is a `ValueError`."""

from __future__ import annotations

import json
from typing import Any


def json_value(text: str | bytes) -> Any:
    """Parse a JSON text. Raises `ValueError` if it is invalid or nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("The JSON is nested too deeply.") from error
