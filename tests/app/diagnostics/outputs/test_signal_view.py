import numpy as np
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.diagnostics.outputs.pictures import ProfilePicture, SignalPicture, envelope
from app.diagnostics.outputs.signal_view import ProfileView, SignalView
from app.theme import DARK, Appearance, Theme

RATE = 80.0


def picture(count: int = 160, columns: int = 1000, broken: bool = False) -> SignalPicture:
    reference = (180 + 40 * np.sin(np.arange(count) / 10)).astype(np.float32)
    ours = reference + np.float32(0.25)
    if broken:
        ours[count // 2] = np.nan
    shapes = [envelope(signal, 0, count, columns) for signal in (ours, reference, ours - reference)]
    return SignalPicture(RATE, *shapes, unit="Hz")


@pytest.fixture
def view(qtbot: QtBot) -> SignalView:
    view = SignalView()
    qtbot.addWidget(view)
    view.resize(500, 240)
    view.show()
    view.show_length(2.0)
    return view


def test_few_values_are_drawn_one_by_one(view: SignalView) -> None:
    view.show_picture(picture(), "Compiled over PyTorch")
    assert not view.ours.is_band
    assert len(view.ours.times) == 160
    assert view.ours.times[80] == pytest.approx(1.0)
    low, high = view.panes[0].view.viewRange()[1]
    assert low < 140
    assert high > 220
    assert view.panes[1].accessibleDescription() == "Difference, at most 0.25 Hz"


def test_many_values_are_drawn_as_far_as_they_reach(view: SignalView) -> None:
    view.show_picture(picture(count=20_000, columns=400), "")
    assert view.ours.is_band
    assert len(view.ours.times) == 400
    assert view.ours.boundingRect().top() == pytest.approx(140.25, abs=0.1)
    assert view.ours.boundingRect().bottom() == pytest.approx(220.25, abs=0.1)


def test_without_partners_there_is_no_difference(view: SignalView) -> None:
    whole = picture()
    view.show_picture(SignalPicture(RATE, whole.ours, whole.reference, None, ""), "")
    assert "Another number of frames" in view.panes[1].accessibleDescription()
    assert len(view.difference.times) == 0


def test_what_is_not_finite_is_said_and_left_out(view: SignalView) -> None:
    view.show_picture(picture(broken=True), "")
    assert view.panes[1].accessibleDescription() == "Difference, not finite"
    assert np.isfinite(view.panes[0].view.viewRange()[1]).all()
    view.grab()


def test_nothing_at_all_can_be_drawn(view: SignalView) -> None:
    nothing = envelope(np.zeros(0, np.float32), 0, 0, 10)
    view.show_picture(SignalPicture(RATE, nothing, nothing, nothing, ""), "")
    view.grab()


def test_it_takes_the_theme_s_colours(view: SignalView, theme: Theme) -> None:
    view.show_picture(picture(), "")
    theme.choose(Appearance.DARK)
    upper, lower = (pane.grab().toImage() for pane in view.panes)
    assert {DARK.surface, DARK.wave, DARK.accent} <= colours_in(upper)
    assert {DARK.surface, DARK.error} <= colours_in(lower)


def colours_in(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def test_a_profile_is_a_staircase(qtbot: QtBot) -> None:
    view = ProfileView()
    qtbot.addWidget(view)
    view.resize(500, 200)
    view.show()
    view.show_length(1.0)
    view.show_picture(ProfilePicture(np.array([0, 0.25, 1.0]), np.array([1e-4, np.nan]), "why"), "Duration LSTM")
    times, heights = view._curve.getData()
    assert times.tolist() == [0, 0.25, 0.25, 1]
    assert heights.tolist() == pytest.approx([-4, -4, 1, 1])
    assert view.panes[0].accessibleDescription().startswith("Duration LSTM")
    view.grab()
