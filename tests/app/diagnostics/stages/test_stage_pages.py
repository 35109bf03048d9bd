import pytest
from PySide6.QtWidgets import QLabel, QVBoxLayout
from pytestqt.qtbot import QtBot

from app.diagnostics.runs.run import DiagnosticsRun, Shown
from app.diagnostics.stages.stage_pages import StagePage, StagePages


class Blank(StagePage):
    def show_stage(self, run: DiagnosticsRun | None, shown: Shown, stage: str | None) -> None:
        pass


@pytest.fixture
def pages(qtbot: QtBot) -> StagePages:
    pages = StagePages()
    qtbot.addWidget(pages)
    for title in ("One", "Two", "Three"):
        pages.add(title, Blank(), f"Page {title}")
    pages.show()
    qtbot.waitExposed(pages)
    return pages


def test_the_first_page_is_in_sight(pages: StagePages) -> None:
    assert [pages.tabs.tabText(number) for number in range(3)] == ["One", "Two", "Three"]
    assert [page.isVisible() for page in pages.all] == [True, False, False]
    assert pages.current is pages.all[0]
    assert pages.tabs.tabToolTip(1) == "Page Two"


def test_a_page_can_be_opened_by_the_feature_it_belongs_to(pages: StagePages, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pages.page_requested):
        pages.open(pages.all[2])
    assert pages.current is pages.all[2]


def test_no_page_makes_the_window_larger(pages: StagePages) -> None:
    least = pages.minimumSizeHint()
    greedy = Blank()
    QVBoxLayout(greedy).addWidget(QLabel("wide " * 400 + "\nhigh" * 100))
    pages.add("Greedy", greedy)
    pages.open(greedy)
    assert greedy.minimumSizeHint().height() > 1000
    assert pages.minimumSizeHint().height() == least.height()
    assert pages.minimumSizeHint().width() < 640
