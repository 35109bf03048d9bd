from pytestqt.qtbot import QtBot

from app.application import Application


def test_the_find_bar_is_below_the_message(application: Application, qtbot: QtBot) -> None:
    application.window.show()
    page = application.window.page
    application.window.menu.find.trigger()
    layout = page.layout()
    assert layout.indexOf(application.desktop.find_bar) == layout.indexOf(page.banner) + 1
    qtbot.keyClicks(application.desktop.find_bar.field, "two")
    assert page.editor.edit.textCursor().selectedText() == "Two"
