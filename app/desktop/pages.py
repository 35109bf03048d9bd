"""What pages say: the help, and all keyboard shortcuts, taken from the menus themselves."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from string import Template

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from app.main_menu import MainMenu
from app.widgets.place_chooser import place_click_words
from engine.system.paths import cache_folder, data_folder, resources_folder


def help_html(menu: MainMenu) -> str:
    """How to use the application; the keys in it are those of the menu."""
    template = Template((resources_folder() / "help.html").read_text(encoding="utf-8"))
    actions = {name: action for name, action in vars(menu).items() if isinstance(action, QAction)}
    named = {name: _words(action.shortcut()) for name, action in actions.items()}
    others = {"data_folder": data_folder(), "cache_folder": cache_folder(), "place_click": place_click_words()}
    return template.substitute(named | {name: escape(str(words)) for name, words in others.items()})


def shortcuts_html(menu: MainMenu) -> str:
    """Every command that has keys, under the menu that it is in."""
    sections = []
    for top in menu.actions():
        rows = [(action.text(), _keys(action)) for action in _commands(top) if action.shortcuts()]
        if rows:
            cells = "".join(
                f"<tr><td>{escape(_title(text))}</td><td><b>{escape(keys)}</b></td></tr>" for text, keys in rows
            )
            sections.append(f'<h3>{escape(_title(top.text()))}</h3><table cellpadding="3">{cells}</table>')
    return "".join(sections)


def _commands(action: QAction) -> Iterator[QAction]:
    """The commands of a menu and the menus in it, or the command itself."""
    menu = action.menu()
    if isinstance(menu, QMenu):
        for each in menu.actions():
            yield from _commands(each)
    else:
        yield action


def _keys(action: QAction) -> str:
    return " or ".join(words for key in action.shortcuts() if (words := _words(key)))


def _words(key: QKeySequence) -> str:
    return key.toString(QKeySequence.SequenceFormat.NativeText)


def _title(text: str) -> str:
    """Without the sign before the letter that is underlined."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")
