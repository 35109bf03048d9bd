import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audio.track import AudioTrack
from app.audio.waveform_item import seconds_per_label
from app.audio.waveform_view import WaveformView
from app.theme import LIGHT, Appearance, Theme, colors
from engine.speech import Plan
from tests.app.fakes import RATE_HZ, chunk_of, utterances_of

UTTERANCES = utterances_of("One. Two. Six. Ten.")


@pytest.fixture
def track() -> AudioTrack:
    track = AudioTrack()
    track.plan(Plan(UTTERANCES))
    for utterance in UTTERANCES:
        track.append(chunk_of(utterance, len(UTTERANCES)))
    track.finish()
    return track


@pytest.fixture
def view(qtbot: QtBot, track: AudioTrack) -> WaveformView:
    view = WaveformView()
    qtbot.addWidget(view)
    view.resize(500, 140)
    view.show()
    qtbot.waitExposed(view)
    view.show_track(track)
    return view


def plot_position(view: WaveformView, sample: int) -> QPoint:
    return QPoint(round(view.width() * sample / view.zoom.shown.length), view.height() // 3)


@pytest.mark.parametrize("sample", [0, 1234, 3999])
def test_a_click_goes_there(view: WaveformView, qtbot: QtBot, sample: int) -> None:
    with qtbot.waitSignal(view.seek_requested) as wanted:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=plot_position(view, sample))
    assert wanted.args[0] == pytest.approx(sample, abs=4 * RATE_HZ / 400)


def test_clicking_audio_not_yet_generated_explains_itself_and_does_not_seek(view: WaveformView, qtbot: QtBot) -> None:
    track = AudioTrack()
    track.plan(Plan(UTTERANCES))
    track.append(chunk_of(UTTERANCES[0], len(UTTERANCES)))
    view.show_track(track)
    view.set_position(300)
    with qtbot.assertNotEmitted(view.seek_requested), qtbot.waitSignal(view.unmade_requested):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 3000))
    assert view.position == 300
    qtbot.mouseMove(view, plot_position(view, 3000))
    assert view.toolTip() not in ("", "0:03")
    with qtbot.waitSignal(view.seek_requested), qtbot.assertNotEmitted(view.unmade_requested):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 500))


class GappedTrack(AudioTrack):
    gaps = ((1000, 2000),)


@pytest.fixture
def gapped_view(view: WaveformView) -> WaveformView:
    track = GappedTrack()
    for utterance in UTTERANCES:
        track.append(chunk_of(utterance, len(UTTERANCES)))
    track.finish()
    view.show_track(track)
    return view


def test_a_gap_is_described_and_clicking_it_requests_generation(gapped_view: WaveformView, qtbot: QtBot) -> None:
    view = gapped_view
    with qtbot.assertNotEmitted(view.seek_requested), qtbot.waitSignal(view.unmade_requested) as wanted:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 1500))
    assert wanted.args[0] == pytest.approx(1500, abs=20)
    assert view.position == 0
    qtbot.mouseMove(view, plot_position(view, 1500))
    in_gap = view.toolTip()
    qtbot.mouseMove(view, plot_position(view, 2500))
    assert in_gap.removeprefix("0:01")
    assert view.toolTip() == "0:02"
    with qtbot.waitSignal(view.seek_requested), qtbot.assertNotEmitted(view.unmade_requested):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 2500))
    view.set_position(0)
    picture = view.grab().toImage()

    def inked(start: int, end: int, color: str) -> bool:
        columns = range(plot_position(view, start).x() + 8, plot_position(view, end).x() - 8)
        return any(picture.pixelColor(x, y).name() == color for x in columns for y in range(20, 110))

    assert [inked(*part, LIGHT.wave) for part in ((0, 1000), (1000, 2000), (2000, 4000))] == [True, False, True]
    assert inked(1000, 2000, LIGHT.wave_pending)


def test_keys_that_lead_into_a_gap_want_it_made(gapped_view: WaveformView, qtbot: QtBot) -> None:
    gapped_view.set_position(500)
    with qtbot.assertNotEmitted(gapped_view.seek_requested), qtbot.waitSignal(gapped_view.unmade_requested) as wanted:
        qtbot.keyClick(gapped_view, Qt.Key.Key_Right)
    assert wanted.args == [1500]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (Qt.Key.Key_Right, 2500),
        (Qt.Key.Key_Left, 500),
        (Qt.Key.Key_PageUp, 0),
        (Qt.Key.Key_PageDown, 4000),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_End, 4000),
    ],
)
def test_keys_go_along_and_stay_inside(view: WaveformView, qtbot: QtBot, key: Qt.Key, expected: int) -> None:
    view.set_position(1500)
    with qtbot.waitSignal(view.seek_requested) as wanted:
        qtbot.keyClick(view, key)
    assert wanted.args == [expected]


def test_space_plays_and_pauses(view: WaveformView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.toggle_requested):
        qtbot.keyClick(view, Qt.Key.Key_Space)


def test_the_playhead_follows(view: WaveformView) -> None:
    view.set_position(2000)
    assert view.position == 2000
    assert view.accessibleDescription() == "0:02 of 0:04"


def test_while_dragging_the_playhead_stays_with_the_mouse(view: WaveformView, qtbot: QtBot) -> None:
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 3000))
    view.set_position(100)
    assert view.position == pytest.approx(3000, abs=20)
    with qtbot.waitSignal(view.seek_requested) as wanted:
        qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 1000))
    assert wanted.args[0] == pytest.approx(1000, abs=20)


def test_a_drag_does_not_continue_in_a_new_track(view: WaveformView, qtbot: QtBot) -> None:
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 3000))
    view.show_track(AudioTrack())
    with qtbot.assertNotEmitted(view.seek_requested), qtbot.assertNotEmitted(view.unmade_requested):
        qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() // 2, 20))
    assert view.position == 0


def test_the_view_covers_the_expected_length_of_the_track(qtbot: QtBot) -> None:
    view, growing = WaveformView(), AudioTrack()
    qtbot.addWidget(view)
    growing.plan(Plan(UTTERANCES))
    view.show_track(growing)
    growing.append(chunk_of(UTTERANCES[0], 4))
    view.refresh()
    assert view.zoom.shown.length == 4 * RATE_HZ


def test_a_click_on_nothing_goes_nowhere(qtbot: QtBot) -> None:
    view = WaveformView()
    qtbot.addWidget(view)
    with qtbot.assertNotEmitted(view.seek_requested):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(("seconds", "spacing"), [(4, 1), (20, 5), (1200, 300), (40_000, 10_800)])
def test_the_times_below_have_room_for_their_words(view: WaveformView, seconds: int, spacing: int) -> None:
    long = AudioTrack()
    long.append(chunk_of(UTTERANCES[0], 1, length=seconds * RATE_HZ))
    view.resize(450, 140)
    view.show_track(long)
    assert seconds_per_label(view.zoom.shown, RATE_HZ, 446, view.fontMetrics()) == spacing


def test_times_and_playhead_are_seen_once_there_is_a_track(view: WaveformView) -> None:
    view.set_position(2000)
    picture = view.grab().toImage()
    middle, bottom = view.width() // 2, view.height() - 1

    def inks(left: int, right: int, top: int, low: int) -> set[str]:
        return {picture.pixelColor(x, y).name() for x in range(left, right) for y in range(top, low)}

    assert LIGHT.accent in inks(middle - 2, middle + 2, 4, 8)
    assert len(inks(middle - 20, middle + 20, bottom - 16, bottom)) > 1
    view.show_track(AudioTrack())
    picture = view.grab().toImage()
    assert inks(2, view.width() - 2, bottom - 16, bottom - 2) == {LIGHT.surface}


@pytest.mark.parametrize("appearance", [Appearance.LIGHT, Appearance.DARK])
def test_it_is_painted_in_any_theme(view: WaveformView, theme: Theme, appearance: Appearance) -> None:
    theme.choose(appearance)
    picture = view.grab().toImage()
    assert picture.pixelColor(picture.width() - 1, picture.height() - 1).name() == colors().surface
    drawn = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    assert {colors().wave, colors().accent} <= drawn


def turn_wheel(view: WaveformView, steps: int, sample: int, keys: Qt.KeyboardModifier) -> bool:
    place = QPointF(plot_position(view, sample))
    turn = QWheelEvent(
        place, QPointF(view.mapToGlobal(place.toPoint())), QPoint(), QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, turn)
    return turn.isAccepted()


@pytest.fixture
def long_view(view: WaveformView) -> WaveformView:
    long = AudioTrack()
    long.append(chunk_of(UTTERANCES[0], 1, length=60 * RATE_HZ))
    long.finish()
    view.show_track(long)
    return view


def test_the_wheel_zooms_with_ctrl_around_the_pointer_and_scrolls_without(long_view: WaveformView) -> None:
    none, ctrl = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
    assert not turn_wheel(long_view, 1, 0, none)  # the window may scroll
    assert turn_wheel(long_view, 3, 45 * RATE_HZ, ctrl)
    shown = long_view.zoom.shown
    assert shown.length == pytest.approx(60 * RATE_HZ / 1.5**3, rel=0.01)
    assert shown.share_of(45 * RATE_HZ) == pytest.approx(0.75, abs=0.02)
    assert turn_wheel(long_view, 2, 0, none)
    assert long_view.zoom.shown.start == pytest.approx(shown.start - 0.2 * shown.length, abs=2)
    turn_wheel(long_view, -20, 0, ctrl)
    assert long_view.zoom.shown.whole


def test_two_fingers_zoom(long_view: WaveformView) -> None:
    place = QPointF(plot_position(long_view, 30 * RATE_HZ))
    pinch = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture, QPointingDevice.primaryPointingDevice(), 2, place, place, place, 1.0,
        QPointF(),
    )  # fmt: skip
    QApplication.sendEvent(long_view, pinch)
    assert long_view.zoom.shown.length == 30 * RATE_HZ
    assert long_view.zoom.shown.share_of(30 * RATE_HZ) == pytest.approx(0.5, abs=0.02)


def test_keys_zoom(long_view: WaveformView, qtbot: QtBot) -> None:
    qtbot.keyClick(long_view, Qt.Key.Key_Plus)
    qtbot.keyClick(long_view, Qt.Key.Key_Equal)
    once = long_view.zoom.shown.length
    assert once < 30 * RATE_HZ
    qtbot.keyClick(long_view, Qt.Key.Key_Minus)
    assert once < long_view.zoom.shown.length < 60 * RATE_HZ
    qtbot.keyClick(long_view, Qt.Key.Key_0)
    assert long_view.zoom.shown.whole


def test_a_click_and_the_playhead_are_where_they_are_in_a_part(long_view: WaveformView, qtbot: QtBot) -> None:
    long_view.zoom.zoom(10, 0)
    long_view.zoom.scroll_to(30 * RATE_HZ)
    assert long_view.accessibleDescription() == "0:00 of 1:00, showing 0:30 to 0:36"
    with qtbot.waitSignal(long_view.seek_requested) as wanted:
        qtbot.mouseClick(long_view, Qt.MouseButton.LeftButton, pos=QPoint(250, 40))
    assert wanted.args[0] == pytest.approx(33 * RATE_HZ, abs=20)
    long_view.set_position(wanted.args[0])
    picture = long_view.grab().toImage()
    assert picture.pixelColor(250, 4).name() == LIGHT.accent
    long_view.set_position(50 * RATE_HZ)
    assert long_view.zoom.shown.contains(50 * RATE_HZ)


def test_sentences_are_marked(long_view: WaveformView) -> None:
    def marks() -> int:
        picture = long_view.grab().toImage()
        return sum(picture.pixelColor(x, 3).name() == LIGHT.faint for x in range(20, picture.width()))

    assert marks() == 0
    long_view.show_sentences([0, 20 * RATE_HZ, 40 * RATE_HZ])
    assert marks() >= 4
    long_view.show_track(AudioTrack())
    assert marks() == 0


@pytest.mark.parametrize("height", [1, 3, 8, 20, 40, 60, 100])
def test_it_is_drawn_at_any_height_and_keeps_its_width(view: WaveformView, qtbot: QtBot, height: int) -> None:
    view.resize(500, height)
    view.grab()
    with qtbot.waitSignal(view.seek_requested) as wanted:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(250, height // 2))
    assert wanted.args[0] == pytest.approx(2000, abs=20)
