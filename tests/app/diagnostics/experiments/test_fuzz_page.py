import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.diagnostics.experiments.fuzz_page import FuzzPage
from app.diagnostics.experiments.trial_model import TrialColumn
from app.theme import DARK
from engine.validator.data.experiments import FuzzedEvent, ProgressEvent, TrialEvent
from tests.app.fake_service import trial_of


@pytest.fixture
def page(qtbot: QtBot) -> FuzzPage:
    made = FuzzPage()
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def told(page: FuzzPage, *numbers: int) -> None:
    page.begin()
    for number in numbers:
        page.take(TrialEvent(trial_of(number)))


def test_the_worst_is_on_top_whenever_it_comes(page: FuzzPage) -> None:
    told(page, 2, 5, 1, 4)
    assert [trial.utterance.index for trial in page.model.trials] == [5, 4, 2, 1]
    lengths = [page.model.index(number, TrialColumn.LENGTH).data() for number in range(4)]
    assert lengths == ["6", "5", "3", "2"]


def test_a_row_says_what_was_worst_where(page: FuzzPage) -> None:
    told(page, 3)
    words = [page.model.index(0, column).data() for column in TrialColumn]
    assert words[:3] == ["✓ Pass", "Durations: duration logits, Compiled", "0.9700"]
    assert words[4:] == ["af_heart", "1.25", "aaaa"]
    page.set_colours(DARK)
    shown = page.model.index(0, TrialColumn.VERDICT).data(Qt.ItemDataRole.ForegroundRole)
    assert shown.name() == DARK.good


def test_number_and_seed_go_with_the_start(page: FuzzPage, qtbot: QtBot) -> None:
    page.count.setValue(7)
    page.seed.setValue(3)
    with qtbot.waitSignal(page.start_wanted) as caught:
        page.bar.button.click()
    assert caught.args == [7, 3]


def test_one_click_or_the_keyboard_diagnoses_an_utterance(page: FuzzPage, qtbot: QtBot) -> None:
    assert not page.diagnose.isEnabled()
    told(page, 1, 2)
    page.table.selectRow(0)
    with qtbot.waitSignal(page.trial_wanted) as clicked:
        page.diagnose.click()
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Down)
    with qtbot.waitSignal(page.trial_wanted) as pressed:
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert [caught.args[0].utterance.index for caught in (clicked, pressed)] == [2, 1]


def test_the_selection_stays_where_it_is_when_a_worse_one_comes(page: FuzzPage) -> None:
    told(page, 1)
    page.table.selectRow(0)
    page.take(TrialEvent(trial_of(9)))
    assert page.trial == trial_of(1)


def test_it_says_how_far_it_is_and_what_came_of_it(page: FuzzPage) -> None:
    told(page, 1, 2)
    page.take(ProgressEvent("Random utterances", 2, 20, 90.0))
    assert page.bar.words.accessibleDescription() == "Random utterances: 2 of 20, about 2 minutes left"
    page.take(FuzzedEvent(20, 19, ()))
    assert page.bar.words.accessibleDescription() == "19 of 20 utterances within tolerance"
    page.end("")
    assert not page.bar.running
    told(page, 1, 2)
    page.end("Stopped.")
    assert page.bar.words.accessibleDescription() == "Stopped. 2 of 2 utterances so far within tolerance."


def test_a_new_beginning_forgets_what_was_found(page: FuzzPage) -> None:
    told(page, 1, 2)
    page.begin()
    assert page.model.trials == ()
    assert page.trial is None
