"""Reads JSON from files that may be damaged: any failure is a `ValueError`."""

from __future__ import annotations

import json
from typing import Any


def json_value(text: str | bytes, *, interruptible: bool = False) -> Any:
    """Parse a JSON text. Raises `ValueError` if it is invalid or nested too deeply.

    If `interruptible`, other threads can run after each object, which takes half as long again.
    """
    try:
        return json.loads(text, object_hook=_same if interruptible else None)
    except RecursionError as error:
        raise ValueError("The JSON is nested too deeply.") from error


def _same(values: dict[str, Any]) -> dict[str, Any]:
    """Return an object; only on a call of a Python function may another thread take over."""
    return values
