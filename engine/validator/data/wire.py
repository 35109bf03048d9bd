"""Validation requests, events and reports as JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from cattrs.preconf.json import JsonConverter, make_converter
from cattrs.strategies import configure_tagged_union

from engine.validator.data.results import KernelRequest, Metrics, Report, Row, ValidationEvent, ValidationRequest

_METRICS = tuple(field.name for field in fields(Metrics))


@cache
def _converter() -> JsonConverter:
    """The only one: it takes longer to make than a window may stand still."""
    converter = make_converter()
    unstructure_row = converter.get_unstructure_hook(Row)
    structure_row = converter.get_structure_hook(Row)

    def flatten(row: Row) -> dict[str, Any]:
        """A row with its metrics next to its names, as scripts read it; null where nothing can be compared."""
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
    configure_tagged_union(ValidationEvent, converter, tag_name="event")
    return converter


class Wire:
    """Converts every validation object to JSON and back; numbers survive exactly."""

    def __init__(self) -> None:
        self._converter = _converter()

    def encode(self, event: ValidationEvent) -> str:
        """One line of JSON, without its line end."""
        return json.dumps(self._converter.unstructure(event, ValidationEvent), allow_nan=False)

    def decode(self, line: str) -> ValidationEvent:
        """The event of a line; raises `ValueError` for anything else."""
        return self._read(json.loads(line), ValidationEvent)  # type: ignore[no-any-return]

    def encode_request(self, request: ValidationRequest) -> str:
        """One line of JSON, without its line end."""
        return json.dumps(self._converter.unstructure(request), allow_nan=False)

    def decode_request(self, line: str) -> ValidationRequest:
        """The request of a line; raises `ValueError` for anything else."""
        return self._read(json.loads(line), ValidationRequest)  # type: ignore[no-any-return]

    def encode_kernel_request(self, request: KernelRequest) -> str:
        """One line of JSON, without its line end."""
        return json.dumps(self._converter.unstructure(request), allow_nan=False)

    def decode_kernel_request(self, line: str) -> KernelRequest:
        """The request of a line; raises `ValueError` for anything else."""
        return self._read(json.loads(line), KernelRequest)  # type: ignore[no-any-return]

    def row_to_dict(self, row: Row) -> dict[str, Any]:
        """A row with its metrics next to its names, as plain values for `json.dump`."""
        return self._converter.unstructure(row)  # type: ignore[no-any-return]

    def report_to_dict(self, report: Report) -> dict[str, Any]:
        """A report, and whether it passed, as plain values for `json.dump`."""
        return {"passed": report.passed, **self._converter.unstructure(report)}

    def report_from_dict(self, plain: Mapping[str, Any]) -> Report:
        """The report written by `report_to_dict`; raises `ValueError` for anything else."""
        return self._read(plain, Report)  # type: ignore[no-any-return]

    def _read(self, plain: Any, kind: Any) -> Any:
        try:
            return self._converter.structure(plain, kind)
        except (KeyError, TypeError, AttributeError, ExceptionGroup) as error:
            raise ValueError(f"This is no {getattr(kind, '__name__', 'validation event')}: {error}") from error
