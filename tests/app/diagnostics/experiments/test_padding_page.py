import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.experiments.experiment_bar import CANCEL
from app.diagnostics.experiments.padding_page import DONE, PaddingPage
from app.diagnostics.experiments.sweep_curves import looks
from app.theme import DARK
from engine.validator.data import wording
from engine.validator.data.experiments import ProgressEvent, SweepPoint, SweptEvent
from engine.validator.data.results import Reading, Regime
from engine.validator.reports.plot_data import digits_of

POINTS = tuple(
    SweepPoint(padding, regime, 0, "istft", "audio", reading, value, 0.5 if reading is Reading.OWN_FED else None)
    for padding, value in ((0.0, 1 - 1e-9), (0.5, 0.75))
    for regime in (Regime.STATIC_PACKED, Regime.COMPILED_PADDED)
    for reading in (Reading.REFERENCE_FED, Reading.OWN_FED)
)


@pytest.fixture
def page(qtbot: QtBot) -> PaddingPage:
    made = PaddingPage()
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def drawn(page: PaddingPage) -> list[list[float]]:
    return [item.yData.tolist() for item in page.plot.view.addedItems]


def test_what_is_measured_is_drawn_and_written(page: PaddingPage) -> None:
    page.begin()
    page.take(SweptEvent(POINTS))
    page.end("")
    assert drawn(page) == [[digits_of(1 - 1e-9), digits_of(0.75)]] * 2
    assert [page.table.item(1, column).text() for column in (0, 1)] == [
        wording.correlation(1 - 1e-9),
        wording.correlation(0.75),
    ]
    marks = [page.table.verticalHeaderItem(number).text()[0] for number in (0, 1)]
    assert len(set(marks)) == 2
    assert page.bar.words.accessibleDescription() == DONE


def test_another_curve_can_be_chosen(page: PaddingPage) -> None:
    page.take(SweptEvent(POINTS))
    heard = looks()[1]
    page.look.choose(heard)
    page.look.chosen.emit(heard)
    assert page.table.item(0, 0).text() == wording.correlation(0.5)


def test_the_button_starts_and_cancels_with_the_time_left(page: PaddingPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.start_wanted):
        page.bar.button.click()
    page.begin()
    page.take(ProgressEvent("Padding 1 times the length", 3, 6, 12.2))
    assert page.bar.words.accessibleDescription() == "Padding 1 times the length: 3 of 6, about 13 s left"
    assert page.bar.progress.value() == page.bar.progress.maximum() / 2
    assert page.bar.button.text() == CANCEL
    with qtbot.waitSignal(page.cancel_wanted):
        page.bar.button.click()
    page.end("Stopped.")
    assert page.bar.words.accessibleDescription() == "Stopped."
    assert page.bar.button.text() != CANCEL


def test_colours_follow_the_theme(page: PaddingPage) -> None:
    page.take(SweptEvent(POINTS))
    page.set_colours(DARK)
    assert page.table.verticalHeaderItem(0).foreground().color().name() == DARK.accent
    assert len(drawn(page)) == 2
