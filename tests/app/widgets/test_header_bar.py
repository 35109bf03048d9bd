from pytestqt.qtbot import QtBot

from app.theme import DARK
from app.widgets.header_bar import HeaderBar


def test_controls_are_named_and_in_the_order_of_use(qtbot: QtBot) -> None:
    header = HeaderBar()
    qtbot.addWidget(header)
    header.set_colours(DARK)
    layout = header.layout()
    controls = [widget for index in range(layout.count()) if (widget := layout.itemAt(index).widget())]
    places = [controls.index(each) for each in (header.voices, header.speed, header.save_button, header.speak_button)]
    assert places == sorted(places)
    for control in (header.voices, header.speed.slider, header.save_button, header.speak_button):
        assert control.accessibleName()
    assert not header.save_button.icon().isNull()
