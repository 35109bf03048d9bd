"""The page that makes a failure small."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.cases.case_making import MadeCase
from app.diagnostics.cases.reduction_page import NOT_FAILING, ReductionPage, fails
from app.diagnostics.runs.run import Shown
from engine.validator.data.results import Reading, Regime
from tests.app.diagnostics_fakes import finished_run

CASE = MadeCase(Path("case.safetensors"), "Reduced to 1 phoneme of 9: h\nFirst wrong: [0]", "bert", "h")
NO_PACK = Shown(Regime.STATIC_NO_PACK, Reading.OWN_FED)


@pytest.fixture
def page(qtbot: QtBot) -> ReductionPage:
    made = ReductionPage()
    qtbot.addWidget(made)
    made.resize(900, 300)
    made.show()
    return made


def test_only_a_stage_that_fails_can_be_reduced(page: ReductionPage) -> None:
    run = finished_run((Regime.STATIC_NO_PACK, Regime.COMPILED))
    page.show_stage(run, Shown(Regime.COMPILED), "bert")
    assert not page.button.isEnabled()
    assert page.state.text() == NOT_FAILING
    page.show_stage(run, NO_PACK, "bert")
    assert page.button.isEnabled()
    assert page.state.text().startswith("Text features fails in Padded, not packed: Reduce finds")
    assert fails(run, NO_PACK, "bert")
    assert not fails(run, NO_PACK, None)
    assert not fails(None, NO_PACK, "bert")


def test_while_it_runs_it_can_be_stopped(page: ReductionPage, qtbot: QtBot) -> None:
    page.show_running("Shorter texts than 9 phonemes, try 1")
    assert (page.button.text(), page.button.isEnabled()) == ("Stop", True)
    page.show_stage(None, NO_PACK, None)
    assert page.state.text() == "Shorter texts than 9 phonemes, try 1"
    with qtbot.waitSignal(page.stop_wanted):
        page.button.click()


def test_the_case_is_shown_and_can_be_saved(page: ReductionPage, qtbot: QtBot) -> None:
    assert not page.save_button.isEnabled()
    page.show_running("…")
    page.show_case(CASE)
    assert page.text.toPlainText() == CASE.words
    assert page.state.text() == "Text features fails on h"
    with qtbot.waitSignal(page.save_wanted) as wanted:
        page.save_button.click()
    assert wanted.args == [CASE]


def test_reducing_is_wanted_by_the_button(page: ReductionPage, qtbot: QtBot) -> None:
    page.show_stage(finished_run((Regime.STATIC_NO_PACK,)), NO_PACK, "bert")
    with qtbot.waitSignal(page.reduce_wanted):
        page.button.click()
