import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.audio.track import AudioTrack
from app.audio.waveform_axis import seconds_per_label
from app.audio.waveform_view import WaveformView
from app.theme import DARK, LIGHT
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
    with qtbot.waitSignal(view.seek_wanted) as wanted:
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=plot_position(view, sample))
    assert wanted.args[0] == pytest.approx(sample, abs=4 * RATE_HZ / 400)


def test_a_click_where_nothing_is_made_goes_nowhere_and_says_so(view: WaveformView, qtbot: QtBot) -> None:
    track = AudioTrack()
    track.plan(Plan(UTTERANCES))
    track.append(chunk_of(UTTERANCES[0], len(UTTERANCES)))
    view.show_track(track)
    view.set_position(300)
    with qtbot.assertNotEmitted(view.seek_wanted), qtbot.waitSignal(view.unmade_wanted):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 3000))
    assert view.position == 300
    qtbot.mouseMove(view, plot_position(view, 3000))
    assert view.toolTip() == "0:03, not made yet"
    with qtbot.waitSignal(view.seek_wanted), qtbot.assertNotEmitted(view.unmade_wanted):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 500))


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
    with qtbot.waitSignal(view.seek_wanted) as wanted:
        qtbot.keyClick(view, key)
    assert wanted.args == [expected]


def test_space_plays_and_pauses(view: WaveformView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.toggle_wanted):
        qtbot.keyClick(view, Qt.Key.Key_Space)


def test_the_playhead_follows(view: WaveformView) -> None:
    view.set_position(2000)
    assert view.position == 2000
    assert view.accessibleDescription() == "0:02 of 0:04"


def test_while_dragging_the_playhead_stays_with_the_mouse(view: WaveformView, qtbot: QtBot) -> None:
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 3000))
    view.set_position(100)
    assert view.position == pytest.approx(3000, abs=20)
    with qtbot.waitSignal(view.seek_wanted) as wanted:
        qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=plot_position(view, 1000))
    assert wanted.args[0] == pytest.approx(1000, abs=20)


def test_the_view_holds_what_the_track_is_expected_to_become(qtbot: QtBot) -> None:
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
    with qtbot.assertNotEmitted(view.seek_wanted):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize(("seconds", "spacing"), [(4, 1), (20, 5), (1200, 300), (40_000, 3600)])
def test_the_times_below_have_room_for_their_words(view: WaveformView, seconds: int, spacing: int) -> None:
    long = AudioTrack()
    long.append(chunk_of(UTTERANCES[0], 1, length=seconds * RATE_HZ))
    view.resize(450, 140)
    view.show_track(long)
    assert seconds_per_label(view.zoom.shown, RATE_HZ, 446) == spacing


def test_times_and_playhead_are_seen_once_there_is_a_track(view: WaveformView) -> None:
    view.set_position(2000)
    picture = view.grab().toImage()
    middle, bottom = view.width() // 2, view.height() - 1

    def colours(left: int, right: int, top: int, low: int) -> set[str]:
        return {picture.pixelColor(x, y).name() for x in range(left, right) for y in range(top, low)}

    assert LIGHT.accent in colours(middle - 2, middle + 2, 4, 8)
    assert len(colours(middle - 20, middle + 20, bottom - 16, bottom)) > 1
    view.show_track(AudioTrack())
    picture = view.grab().toImage()
    assert colours(2, view.width() - 2, bottom - 16, bottom - 2) == {LIGHT.surface}


def test_it_is_painted_in_any_theme(view: WaveformView) -> None:
    view.set_colours(DARK)
    picture = view.grab().toImage()
    assert picture.pixelColor(picture.width() - 1, picture.height() - 1).name() == DARK.surface
