from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run import DiagnosticsRun
from app.diagnostics.runs.run_chip import RunChip
from engine.stages import STAGES
from engine.validator.data.results import Regime, RowEvent, Verdict
from tests.app.diagnostics_fakes import CONFIG, finished_run, request, row


@pytest.fixture
def chip(qtbot: QtBot) -> RunChip:
    chip = RunChip()
    qtbot.addWidget(chip)
    return chip


def tell(chip: RunChip, run: DiagnosticsRun, regime: Regime = Regime.COMPILED) -> None:
    chip.follow(run)
    chip.refresh(regime)


def test_it_is_not_there_while_there_is_nothing_to_tell(chip: RunChip) -> None:
    chip.refresh(Regime.COMPILED)
    assert chip.isHidden()
    tell(chip, finished_run())
    assert not chip.isHidden()
    chip.follow(None)
    assert chip.isHidden()


def test_a_late_refresh_does_not_bring_back_a_run_that_is_no_longer_followed(chip: RunChip) -> None:
    tell(chip, finished_run())
    chip.follow(None)
    chip.refresh(Regime.COMPILED)
    assert chip.isHidden()


def test_it_tells_in_words_and_colour(chip: RunChip) -> None:
    tell(chip, finished_run())
    assert chip.accessibleName() == "✓ 8 of 8 agree, worst 1 - 1.3e-8"
    assert chip.property("tone") == "good"
    tell(chip, finished_run((Regime.STATIC_NO_PACK,)), Regime.STATIC_NO_PACK)
    assert chip.accessibleName() == "✗ Text features and 6 more differ, as expected"
    assert chip.property("tone") == "note"
    run = DiagnosticsRun(request(), CONFIG)
    run.take(RowEvent(replace(row(STAGES[0], "text_features", Regime.COMPILED), verdict=Verdict.FAIL)))
    tell(chip, run)
    assert chip.accessibleName() == "✗ Text features differs"
    assert chip.property("tone") == "error"
    tell(chip, DiagnosticsRun(request(), CONFIG))
    assert chip.accessibleName() == "Comparing 0 of 8"


def test_a_regime_that_is_no_part_of_the_run_gives_way_to_one_that_is(chip: RunChip) -> None:
    tell(chip, finished_run(), Regime.STATIC_NO_PACK)
    assert "8 of 8 agree" in chip.accessibleName()
