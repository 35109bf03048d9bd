from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QComboBox, QLabel, QPlainTextEdit, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.audio.track import AudioTrack
from app.audio.waveform_view import WaveformView
from app.speech.page import NARROW_PIXELS, SpeechPage
from app.widgets.side_bar import DEFAULT_WIDTH_PIXELS
from tests.app.fakes import chunk_of, utterances_of

CONTROLS = (QAbstractButton, QAbstractSlider, QComboBox, QPlainTextEdit, WaveformView)


def track_with_sound() -> AudioTrack:
    track = AudioTrack()
    track.append(chunk_of(utterances_of("One.")[0], 1))
    return track


def ended_track() -> AudioTrack:
    track = AudioTrack()
    track.finish()
    return track


def focus_order(page: SpeechPage) -> list[QWidget]:
    found, widget = [], page.nextInFocusChain()
    while widget is not page and widget is not None:
        found.append(widget)
        widget = widget.nextInFocusChain()
    return found


def test_every_control_has_a_name_for_a_screen_reader(qtbot: QtBot) -> None:
    page = SpeechPage()
    qtbot.addWidget(page)
    controls = [widget for kind in CONTROLS for widget in page.findChildren(kind) if not isinstance(widget, QScrollBar)]
    nameless = [widget for widget in controls if not (widget.accessibleName() or widget.property("text"))]
    assert len(controls) > 8
    assert nameless == [page.banner.button, *page.strip.buttons]  # their titles come with the messages


def test_tab_goes_through_the_page_as_it_is_read(qtbot: QtBot) -> None:
    page = SpeechPage()
    qtbot.addWidget(page)
    order = focus_order(page)
    stops = [
        page.header.voices, page.header.speed.slider, page.header.speed.reset_button, page.header.save_button,
        page.header.speak_button, page.editor.edit, page.player.waveform,
        page.player.transport.back_button, page.player.transport.play_button, page.player.transport.forward_button,
    ]  # fmt: skip
    places = [order.index(stop) for stop in stops]
    assert places == sorted(places)


def test_letters_of_twice_the_size_fit_into_a_narrow_window(qtbot: QtBot) -> None:
    page = SpeechPage()
    qtbot.addWidget(page)
    font = page.font()
    font.setPointSizeF(2 * font.pointSizeF())
    page.setFont(font)
    page.resize(640, 900)
    page.show()
    for strip in (page.banner, page.strip, page.save_strip):
        strip.show()
    qtbot.waitUntil(lambda: page.header.stacked and page.minimumSizeHint().width() <= 640)
    assert page.width() == 640


def page_with_a_panel(qtbot: QtBot, width: int) -> tuple[SpeechPage, QLabel]:
    page, panel = SpeechPage(), QLabel("One")
    qtbot.addWidget(page)
    page.side_bar.add("Chapters", panel)
    page.resize(width, 700)
    page.show()
    page.side_bar.open(panel)
    return page, panel


def test_the_side_bar_stands_beside_the_text_in_a_wide_window(qtbot: QtBot) -> None:
    page, _ = page_with_a_panel(qtbot, NARROW_PIXELS + 100)
    assert page.editor.isVisible()
    assert page.columns.sizes()[0] == page.side_bar.width() == DEFAULT_WIDTH_PIXELS


def test_the_side_bar_replaces_the_text_in_a_narrow_window(qtbot: QtBot) -> None:
    page, panel = page_with_a_panel(qtbot, NARROW_PIXELS - 100)
    assert panel.isVisible()
    assert page.player.isVisible()
    assert not page.editor.isVisible()
    page.side_bar.give_way()
    page.editor.setFocus()
    page.side_bar.open(panel)
    assert page.focusWidget() is page.side_bar.tabs
    page.side_bar.give_way()
    assert page.focusWidget() is page.editor.edit
    assert page.editor.isVisible()
    assert not panel.isVisible()


def test_the_side_bar_moves_when_the_window_grows_and_shrinks(qtbot: QtBot) -> None:
    page, panel = page_with_a_panel(qtbot, NARROW_PIXELS - 100)
    page.resize(NARROW_PIXELS, 700)
    assert panel.isVisible()
    assert page.editor.isVisible()
    page.resize(NARROW_PIXELS - 1, 700)
    assert panel.isVisible()
    assert not page.editor.isVisible()


def test_the_width_that_is_dragged_stays(qtbot: QtBot) -> None:
    page, _ = page_with_a_panel(qtbot, 1200)
    page.columns.moveSplitter(400, 1)
    page.side_bar.close_button.click()
    page.resize(NARROW_PIXELS - 100, 700)
    page.resize(1200, 700)
    page.side_bar.open(page.side_bar.findChild(QLabel))
    assert page.side_bar.width() == 400


def test_the_player_is_folded_as_long_as_anybody_wants_it(qtbot: QtBot) -> None:
    page = SpeechPage()
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    qtbot.waitExposed(page)
    page.player.show_track(track_with_sound())
    page.split.setSizes([300, 200])
    sizes, state = page.split.sizes(), page.split_state
    page.fold_player("focus", folded=True)
    page.fold_player("diagnostics", folded=True)
    qtbot.waitUntil(lambda: page.player.height() == page.player.minimumSizeHint().height())
    page.fold_player("focus", folded=False)
    assert not page.player.wave.isVisible()
    assert page.player.transport.isVisible()
    assert page.split_state == state
    page.resize(900, 900)
    qtbot.waitUntil(lambda: page.split.height() > sum(sizes) + 100)
    assert page.player.height() == page.player.minimumSizeHint().height()
    page.resize(900, 700)
    page.fold_player("diagnostics", folded=False)
    page.fold_player("diagnostics", folded=False)
    assert page.player.wave.isVisible()
    qtbot.waitUntil(lambda: page.split.sizes() == sizes)


def test_without_sound_the_room_of_the_waveform_belongs_to_the_text(qtbot: QtBot) -> None:
    page = SpeechPage()
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    qtbot.waitUntil(lambda: page.player.height() == page.player.minimumSizeHint().height() < 80)
    assert page.player.line.isVisible()
    assert not page.player.wave.isVisible()
    page.player.show_track(track_with_sound())
    qtbot.waitUntil(lambda: page.player.height() > 150)
    assert page.player.wave.isVisible()
    assert not page.player.line.isVisible()
    page.show_playing("The Lighthouse")
    page.player.show_track(ended_track())
    qtbot.waitUntil(lambda: page.player.height() == page.player.minimumSizeHint().height())
    titled = page.player.height()
    page.show_playing("")
    qtbot.waitUntil(lambda: page.player.height() == page.player.minimumSizeHint().height() < titled)


def test_the_waveform_keeps_its_room_while_the_next_speech_begins(qtbot: QtBot) -> None:
    page = SpeechPage()
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    page.player.show_track(AudioTrack())
    assert not page.player.wave.isVisible()
    page.player.show_track(track_with_sound())
    page.player.show_track(following := AudioTrack())
    assert page.player.wave.isVisible()
    following.finish()  # as when it is stopped before any audio was generated
    page.player.refresh()
    assert not page.player.wave.isVisible()


def test_the_height_split_set_by_the_user_survives_silence(qtbot: QtBot) -> None:
    first, second = SpeechPage(), SpeechPage()
    for page in (first, second):
        qtbot.addWidget(page)
        page.resize(900, 700)
        page.show()
        qtbot.waitExposed(page)
    first.player.show_track(track_with_sound())
    first.split.setSizes([200, 300])
    sizes = first.split.sizes()
    first.player.show_track(ended_track())
    second.split_state = first.split_state  # as at the next start, before anything was played
    for page in (first, second):
        assert not page.player.wave.isVisible()
        page.player.show_track(track_with_sound())
        qtbot.waitUntil(lambda page=page: page.split.sizes() == sizes)
