"""Converts rows and reports of validations to plain values for JSON, as scripts and files use them, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from cattrs.preconf.json import JsonConverter, make_converter

from engine.validator.data.results import Metrics, Report, Row

_METRICS = tuple(field.name for field in fields(Metrics))


@cache
def _converter() -> JsonConverter:
    """Return the only converter: creating one takes too long for the window's thread."""
    converter = make_converter()
    unstructure_row = converter.get_unstructure_hook(Row)
    structure_row = converter.get_structure_hook(Row)

    def flatten(row: Row) -> dict[str, Any]:
        """Return a row with its metrics next to its names, as scripts read it; null if nothing can be compared."""
        plain = unstructure_row(row)
        metrics = plain.pop("metrics") or dict.fromkeys(_METRICS)
        return {**plain, **metrics}

    def unflatten(plain: Mapping[str, Any], kind: Any) -> Row:
        metrics = {name: plain[name] for name in _METRICS}
        measured = metrics["finite_percent"] is not None
        row: Row = structure_row({**plain, "metrics": metrics if measured else None}, kind)
        return row

    converter.register_unstructure_hook(Row, flatten)
    converter.register_structure_hook(Row, unflatten)
    return converter


class Wire:
    """Converts rows and reports to plain values and back; numbers survive exactly."""

    def __init__(self) -> None:
        self._converter = _converter()

    def row_to_dict(self, row: Row) -> dict[str, Any]:
        """Return a row with its metrics next to its names, as plain values for `json.dump`."""
        return self._converter.unstructure(row)  # type: ignore[no-any-return]

    def report_to_dict(self, report: Report) -> dict[str, Any]:
        """Return a report, and whether it passed, as plain values for `json.dump`."""
        return {"passed": report.passed, **self._converter.unstructure(report)}

    def report_from_dict(self, plain: Mapping[str, Any]) -> Report:
        """Return the report written by `report_to_dict`; raises `ValueError` for anything else."""
        try:
            return self._converter.structure(plain, Report)
        except (KeyError, TypeError, AttributeError, ExceptionGroup) as error:
            raise ValueError(f"This is no report: {error}") from error
