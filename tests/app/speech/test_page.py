from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QComboBox, QPlainTextEdit, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.audio.waveform_view import WaveformView
from app.speech.page import SpeechPage
from app.theme import DARK

CONTROLS = (QAbstractButton, QAbstractSlider, QComboBox, QPlainTextEdit, WaveformView)


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
    assert nameless == [page.banner.button, *page.strip.buttons]  # their titles come with what is said


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


def test_it_takes_the_colours(qtbot: QtBot) -> None:
    page = SpeechPage()
    qtbot.addWidget(page)
    page.set_colours(DARK)
    assert page.player.waveform.grab().toImage().pixelColor(2, 2).name() == DARK.surface
