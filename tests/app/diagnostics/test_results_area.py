import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.diagnostics.results_area import ALL_FROM_PIXELS, STAGE, ResultsArea


@pytest.fixture
def parts() -> dict[str, QLabel]:
    return {name: QLabel(name) for name in ("table", "strip", "caption", "drill_down")}


@pytest.fixture
def area(qtbot: QtBot, parts: dict[str, QLabel]) -> ResultsArea:
    area = ResultsArea(*parts.values())
    qtbot.addWidget(area)
    area.resize(1000, 320)
    area.show()
    qtbot.waitExposed(area)
    return area


def seen(parts: dict[str, QLabel]) -> set[str]:
    return {name for name, part in parts.items() if part.isVisible()}


def test_where_it_is_low_strip_and_drill_down_take_turns(area: ResultsArea, parts: dict[str, QLabel]) -> None:
    assert seen(parts) == {"table", "strip", "caption"}
    strip_width = parts["strip"].width()
    area.show_drill_down()
    assert seen(parts) == {"table", "drill_down", "caption"}
    assert parts["drill_down"].width() > strip_width
    area.tabs.setCurrentIndex(0)
    assert seen(parts) == {"table", "strip", "caption"}
    assert parts["strip"].width() == strip_width


def test_where_it_is_high_all_are_seen(area: ResultsArea, parts: dict[str, QLabel]) -> None:
    area.resize(1000, ALL_FROM_PIXELS + 100)
    assert seen(parts) == set(parts)
    assert not area.tabs.isVisible()
    assert parts["drill_down"].width() == area.width()
    area.resize(1000, 320)
    assert seen(parts) == {"table", "strip", "caption"}


def test_the_choice_stays_over_a_change_of_size(area: ResultsArea, parts: dict[str, QLabel]) -> None:
    area.show_drill_down()
    area.resize(1000, ALL_FROM_PIXELS + 100)
    area.resize(1000, 320)
    assert area.tabs.currentIndex() == STAGE
    assert "drill_down" in seen(parts)
