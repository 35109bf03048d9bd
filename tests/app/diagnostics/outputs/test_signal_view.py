import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.diagnostics.colors import ColorTone, Scale, table_of
from app.diagnostics.outputs.pictures import HeatPane, HeatPicture, ProfilePicture, SignalPicture, envelope
from app.diagnostics.outputs.signal_view import EnvelopeItem, HeatView, ProfileView, SignalView
from app.diagnostics.outputs.time_pane import LEFT_PIXELS, TimePane
from app.theme import DARK, LIGHT, Appearance, Theme, colors

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


def test_many_values_are_drawn_to_their_full_extent(view: SignalView) -> None:
    view.show_picture(picture(count=20_000, columns=400), "")
    assert view.ours.is_band
    assert len(view.ours.times) == 400
    assert view.ours.boundingRect().top() == pytest.approx(140.25, abs=0.1)
    assert view.ours.boundingRect().bottom() == pytest.approx(220.25, abs=0.1)


def test_without_partners_there_is_no_difference(view: SignalView) -> None:
    whole = picture()
    view.show_picture(SignalPicture(RATE, whole.ours, whole.reference, None, ""), "")
    assert "Different numbers of frames" in view.panes[1].accessibleDescription()
    assert len(view.difference.times) == 0


def test_values_that_are_not_finite_are_reported_and_left_out(view: SignalView) -> None:
    view.show_picture(picture(broken=True), "")
    assert view.panes[1].accessibleDescription() == "Difference, not finite"
    assert np.isfinite(view.panes[0].view.viewRange()[1]).all()
    view.grab()


def test_it_takes_the_theme_s_colors(view: SignalView, theme: Theme) -> None:
    view.show_picture(picture(), "")
    theme.choose(Appearance.DARK)
    upper, lower = (pane.grab().toImage() for pane in view.panes)
    assert {DARK.surface, DARK.wave, DARK.accent} <= colors_in(upper)
    assert {DARK.surface, DARK.error} <= colors_in(lower)


def colors_in(image: QImage) -> set[str]:
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


INK = LIGHT.error


def painted(qtbot: QtBot, signal: np.ndarray, columns: int) -> QImage:
    """Paint one second of a signal, from -1 at the bottom to 1 at the top."""
    plot, item = TimePane("A signal"), EnvelopeItem(ColorTone.ERROR, 2.0)
    qtbot.addWidget(plot)
    plot.resize(400, 200)
    plot.left.setWidth(0)
    plot.show_seconds(1.0)
    plot.view.setYRange(-1, 1, padding=0)
    plot.add(item)
    item.show_envelope(envelope(signal, 0, len(signal), columns), len(signal))
    plot.show()
    qtbot.waitExposed(plot)
    return plot.grab().toImage()


def inked(image: QImage, x: float, y: float) -> bool:
    """Return whether there is ink near a point."""
    across, down = x * (image.width() - 6), (1 - y) / 2 * image.height()
    near = [(int(across) + dx, int(down) + dy) for dx in range(-2, 3) for dy in range(-2, 3)]
    return any(image.pixelColor(*place).name() == INK for place in near)


def test_few_values_are_a_line(qtbot: QtBot) -> None:
    image = painted(qtbot, np.linspace(-1, 1, 100), 1000)
    assert all(inked(image, x, 2 * x - 1) for x in (0.25, 0.5, 0.75))
    assert not inked(image, 0.25, 0.5)
    assert not inked(image, 0.75, -0.5)


def test_many_values_are_a_band(qtbot: QtBot) -> None:
    image = painted(qtbot, np.tile([0.5, -0.5], 5000), 300)
    assert all(inked(image, x, y) for x in (0.1, 0.5, 0.9) for y in (-0.45, 0, 0.45))
    assert not inked(image, 0.5, 0.7)


@pytest.mark.parametrize("columns", [1000, 40])
def test_values_that_are_not_finite_leave_a_gap(qtbot: QtBot, columns: int) -> None:
    signal = np.tile([0.1, 0.0], 100)
    signal[80:120] = np.nan
    image = painted(qtbot, signal, columns)
    assert inked(image, 0.2, 0.05)
    assert inked(image, 0.8, 0.05)
    assert not inked(image, 0.5, 0.05)


def test_nothing_draws_nothing(qtbot: QtBot) -> None:
    item = EnvelopeItem(ColorTone.ERROR)
    for shape in (None, envelope(np.zeros(0), 0, 0, 5), envelope(np.full(9, np.inf), 0, 9, 5)):
        item.show_envelope(shape, 10.0)
        assert item.boundingRect().isEmpty()
    image = painted(qtbot, np.full(50, np.nan), 10)
    assert not inked(image, 0.5, 0)


QUARTERS = np.array([[0, 255], [128, 0]], np.uint8)
PICTURE = HeatPicture(
    (
        HeatPane("Compiled", QUARTERS, Scale.VALUES),
        HeatPane("PyTorch", QUARTERS, Scale.VALUES),
        HeatPane("Difference", QUARTERS, Scale.ERRORS),
    ),
    0.0,
    1.0,
    "2 channels",
)


@pytest.fixture
def maps(qtbot: QtBot, theme: Theme) -> HeatView:
    maps = HeatView()
    qtbot.addWidget(maps)
    maps.resize(400, 400)
    maps.show()
    qtbot.waitExposed(maps)
    maps.show_length(1.0)
    return maps


def color_at(maps: HeatView, pane: int, x: float, y: float) -> str:
    image = maps.panes[pane].grab().toImage()
    height = maps.panes[pane].view.height()
    return image.pixelColor(LEFT_PIXELS + int(x * (image.width() - LEFT_PIXELS - 8)), int(y * height)).name()


def expected(scale: Scale, step: int) -> str:
    return QColor(*table_of(scale)[step].tolist()).name()


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_every_value_has_its_color_and_place(maps: HeatView, theme: Theme, appearance: Appearance) -> None:
    maps.show_picture(PICTURE)
    theme.choose(appearance)
    values, errors = Scale.VALUES, Scale.ERRORS
    assert color_at(maps, 0, 0.8, 0.8) == expected(values, 255)
    assert color_at(maps, 1, 0.2, 0.8) == expected(values, 0)
    assert color_at(maps, 1, 0.8, 0.3) == expected(values, 0)
    assert color_at(maps, 2, 0.8, 0.8) == expected(errors, 255)
    assert color_at(maps, 2, 0.2, 0.4) == expected(errors, 128)


def test_a_part_lies_at_its_time(maps: HeatView) -> None:
    maps.show_picture(HeatPicture(PICTURE.panes, 0.5, 1.0, ""))
    assert color_at(maps, 1, 0.2, 0.8) == colors().surface
    assert color_at(maps, 1, 0.6, 0.8) == expected(Scale.VALUES, 0)


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_both_sides_of_a_spectrogram_have_separate_hues_and_a_frequency_axis(
    maps: HeatView, theme: Theme, appearance: Appearance
) -> None:
    sides = (HeatPane("Compiled", QUARTERS, Scale.OURS), HeatPane("PyTorch", QUARTERS, Scale.REFERENCE))
    theme.choose(appearance)
    maps.show_picture(HeatPicture((*sides, PICTURE.panes[2]), 0.0, 1.0, "mel to 12 kHz", ((0.5, "2k"),)))
    assert color_at(maps, 0, 0.8, 0.8) == expected(Scale.OURS, 255)
    assert color_at(maps, 1, 0.8, 0.8) == expected(Scale.REFERENCE, 255)
    loud = [QColor(expected(scale, 128)) for scale in (Scale.OURS, Scale.REFERENCE)]
    assert loud[0].blue() > loud[0].red()
    assert loud[1].red() > loud[1].blue()
    assert maps.panes[0].left._tickLevels == [[(0.5, "2k")]]


def test_names_of_heights_give_way_where_there_is_no_room(maps: HeatView) -> None:
    ticks = ((0.01, "low"), (0.3, "a"), (0.35, "b"), (0.8, "c"), (0.99, "high"))
    maps.show_picture(HeatPicture(PICTURE.panes, 0.0, 1.0, "", ticks))
    assert [name for _, name in maps.panes[0].left._tickLevels[0]] == ["a", "c"]
    maps.resize(400, 1600)
    assert [name for _, name in maps.panes[0].left._tickLevels[0]] == ["a", "b", "c"]


SOUND_HZ = 24_000
LINES = 128


@given(st.integers(0, 500), st.integers(-20, 520), st.integers(-20, 520), st.integers(1, 80))
def test_every_value_lies_inside(length: int, start: int, end: int, columns: int) -> None:
    signal = np.random.default_rng(length).standard_normal(length).astype(np.float32)
    found = envelope(signal, start, end, columns)
    assert len(found.lowest) == len(found.highest) == len(found.edges) - 1 <= columns
    assert np.all(np.diff(found.edges) > 0)
    for low, high, first, last in zip(found.lowest, found.highest, found.edges, found.edges[1:], strict=False):
        assert low == signal[first:last].min()
        assert high == signal[first:last].max()
    covered = max(min(end, length) - max(start, 0), 0)
    assert found.edges[-1] - found.edges[0] == covered
