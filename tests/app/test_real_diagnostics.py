"""The real window, model and reference process: what the panel shows, and that the window is never blocked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage

from engine.runtime.synthesizer import Synthesizer
from engine.stages import STAGE_NAMES
from engine.system.paths import project_folder
from tests.app.real_diagnostics import KILL_AFTER_ROWS, TEXT
from tests.app.virtual_desk import OWN_SHARE, SoundServer, virtual_display
from tests.conftest import BUILD_FOLDER
from tests.patience import PATIENCE_SECONDS

BLOCKED_FOR_AT_MOST_MS = 200.0
"""Waiting for a process, a file or a model takes longer.

The window's own computations do not count: how long these take depends on the machine.
"""
ATTEMPTS = 3
"""A busy machine may take the CPU away from a window that is ready to run."""
MEASURED = ("loading", "loaded")
"""Two whole runs: one while PyTorch is imported and the speech begins and plays, one with everything loaded."""
PICTURES = BUILD_FOLDER.parent / "pictures"

Told = Mapping[str, Any]


def run(command: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*OWN_SHARE, sys.executable, *command],
        start_new_session=True,
        cwd=project_folder(),
        env=os.environ | dict(environment),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_SECONDS,
        check=False,
    )


def phase(told: Told, name: str) -> dict[str, Any]:
    return next(each for each in told["phases"] if each["name"] == name)


def longest_gap_ms(told: Told) -> float:
    return max(phase(told, name)["longest_gap_ms"] for name in MEASURED)


def play(display: str, folder: Path) -> Told:
    server = SoundServer(folder)
    chosen = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "XDG_CONFIG_HOME": str(folder)}
    with server.running():
        finished = run(["-m", "tests.app.real_diagnostics", str(folder)], server.environment | chosen)
    assert finished.returncode == 0, finished.stderr
    assert "Traceback" not in finished.stderr
    return json.loads((folder / "report.json").read_text(encoding="utf-8")) | {"folder": folder}


@pytest.fixture(scope="module")
def told(starter: Synthesizer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """The output of the scenario, from the attempt in which the machine was least busy with other things."""
    with virtual_display() as display:
        told = []
        for _ in range(ATTEMPTS):
            told.append(play(display, tmp_path_factory.mktemp("diagnostics")))
            if longest_gap_ms(told[-1]) < BLOCKED_FOR_AT_MOST_MS:
                break
        yield min(told, key=longest_gap_ms)


def test_rows_stream_in_one_by_one_in_the_order_of_the_stages(told: Told) -> None:
    for name in MEASURED:
        rows = phase(told, name)["rows"]
        moments = [moment for moment, *_ in rows]
        assert moments == sorted(moments)
        assert len({stage for _, stage, *_ in rows}) == len(STAGE_NAMES)
        first = rows[: len(rows) // 2]  # the text has two utterances with the same rows
        order = [STAGE_NAMES.index(stage) for _, stage, *_ in first]
        assert order == sorted(order)
        starts = [next(moment for moment, stage, *_ in first if stage == each) for each in STAGE_NAMES]
        assert all(later > earlier for earlier, later in pairwise(starts))


@pytest.mark.parametrize("name", MEASURED)
def test_the_window_is_never_blocked(told: Told, name: str) -> None:
    measured = phase(told, name)
    assert measured["state"] == "finished"
    assert measured["longest_gap_ms"] < BLOCKED_FOR_AT_MOST_MS, measured["gaps_over_20_ms"]


def test_the_panels_numbers_are_those_of_the_command_line(told: Told) -> None:
    request = told["validation"]["request"]
    assert request["speech"]["text"] == TEXT
    options = ["--text", TEXT, "--voice", request["speech"]["voice"], "--regimes", ",".join(request["regimes"])]
    answered = run(["-m", "engine", "validate", *options, "--json"], {})
    assert answered.returncode == 0, answered.stderr
    expected = json.loads(answered.stdout)
    assert without_times(told["validation"]["rows"]) == without_times(expected["rows"])
    assert told["validation"]["findings"] == expected["findings"]
    assert told["finished"][:2] == [len(expected["rows"])] * 2


def without_times(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if not name.endswith("seconds")} for row in rows]


def test_a_killed_reference_leaves_a_clear_word_and_a_usable_window(told: Told) -> None:
    killed, after = phase(told, "killed"), phase(told, "after")
    assert killed["state"] == "crashed"
    assert len(killed["rows"]) >= KILL_AFTER_ROWS
    assert "process ended while computing the " in killed["message"]
    assert "Diagnose" in killed["message"]
    assert told["spoken_after"] > 0
    assert after["state"] == "finished"


def test_closing_the_panel_ends_the_reference(told: Told) -> None:
    assert told["reference_ended"] is True


def test_the_export_is_whole(told: Told) -> None:
    with zipfile.ZipFile(told["exported"]) as bundle:
        assert bundle.testzip() is None
        exported = json.loads(bundle.read("report.json"))
        assert {"report.html", "arrays.npz", "versions.txt", "doctor.txt"} <= set(bundle.namelist())
    assert exported["rows"] == told["validation"]["rows"]


@pytest.mark.parametrize("name", ["finished", "killed"])
def test_pictures_are_saved(told: Told, name: str) -> None:
    picture = QImage(str(told["folder"] / f"{name}.png"))
    assert not picture.isNull()
    PICTURES.mkdir(parents=True, exist_ok=True)
    assert picture.save(str(PICTURES / f"diagnostics-{name}.png"))
