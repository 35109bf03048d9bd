from PySide6.QtWidgets import QPushButton

from app.theme import LIGHT
from app.widgets.notice_strip import ICON_PIXELS, NoticeStrip


def test_symbol_sentence_and_buttons_stand_from_left_to_right(qtbot):
    strip = NoticeStrip()
    qtbot.addWidget(strip)
    first, second = QPushButton("One", strip), QPushButton("Two", strip)
    strip.label.setText("Something was said.")
    strip.draw_symbol("save", LIGHT.accent)
    strip.lay_out(first, second)
    strip.resize(500, 50)
    strip.show()
    places = [widget.x() for widget in (strip.symbol, strip.label, first, second)]
    assert places == sorted(set(places))
    assert strip.symbol.pixmap().deviceIndependentSize().width() == ICON_PIXELS
