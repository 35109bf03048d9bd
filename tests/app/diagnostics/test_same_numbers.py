"""The window and the command line show the same numbers, whatever way they took."""

import json
from pathlib import Path

import pytest

from app.diagnostics.configurations import matrix_of
from app.diagnostics.runs.run import DiagnosticsRun, Shown
from engine.__main__ import main
from engine.models.checkpoints import STARTER, model_config, starter_voices
from engine.speech import SpeechRequest
from engine.validator.data.results import Reading, Regime, ValidationRequest
from engine.validator.data.wire import Wire
from engine.validator.runs.validation import Validator

TEXT = "Hi."
REGIMES = (Regime.UPSTREAM, Regime.STATIC_NO_PACK, Regime.COMPILED)
CROSS = (("decoder", Regime.DYNAMIC),)
TIMES = ("seconds", "reference_seconds")
"""What no two runs have in common."""


def without_times(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


@pytest.fixture(scope="module")
def run() -> DiagnosticsRun:
    """What the window makes of the events that come through the pipe."""
    request = ValidationRequest(SpeechRequest(TEXT, starter_voices()[0].name), regimes=REGIMES, cross=CROSS)
    wire, made = Wire(), DiagnosticsRun(request, model_config(STARTER))
    validator = Validator()
    validator.validate(request, lambda event: made.take(wire.decode(wire.encode(event))))
    validator.close()
    return made


def test_every_row_of_the_window_is_that_of_the_command_line(run: DiagnosticsRun, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    cross = ",".join(f"{stage}={regime}" for stage, regime in CROSS)
    arguments = ["--text", TEXT, "--regimes", ",".join(REGIMES), "--cross", cross, "--json", str(path)]
    main(["validate", "--model", STARTER, *arguments])
    written = without_times(json.loads(path.read_text(encoding="utf-8"))["rows"])
    shown = without_times([json.loads(json.dumps(Wire().row_to_dict(row))) for row in run.rows])
    assert sorted(shown, key=str) == sorted(written, key=str)
    assert Reading.OWN_FED_REFERENCE_DURATIONS in {row["reading"] for row in written}


def test_static_no_pack_is_red_from_where_packing_matters(run: DiagnosticsRun) -> None:
    shown = Shown(Regime.COMPILED, Reading.OWN_FED_REFERENCE_DURATIONS)
    matrix = matrix_of(run, shown)
    assert matrix.regimes == (*REGIMES, "compiled+decoder=dynamic")
    verdicts = [str(cells[1].row.verdict) for cells in matrix.cells if cells[1].row is not None]
    assert verdicts[:2] == ["pass", "fail"]
    assert "pass" not in verdicts[2:]
