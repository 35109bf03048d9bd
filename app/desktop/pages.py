"""The content of the help page and of the list of keyboard shortcuts, both generated from the menus."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from string import Template

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from app.main_menu import MainMenu
from app.widgets.place_chooser import format_place_click
from engine.system.paths import cache_folder, data_folder, resources_folder


def help_html(menu: MainMenu) -> str:
    """Return the help page, with the shortcuts that the menu assigns."""
    template = Template((resources_folder() / "help.html").read_text(encoding="utf-8"))
    actions = {name: action for name, action in vars(menu).items() if isinstance(action, QAction)}
    named = {name: _format_key(action.shortcut()) for name, action in actions.items()}
    others = {"data_folder": data_folder(), "cache_folder": cache_folder(), "place_click": format_place_click()}
    return template.substitute(named | {name: escape(str(words)) for name, words in others.items()})


def shortcuts_html(menu: MainMenu) -> str:
    """Return every command that has a shortcut, grouped by menu."""
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
    """Yield the commands of a menu and its submenus, or the command itself."""
    menu = action.menu()
    if isinstance(menu, QMenu):
        for each in menu.actions():
            yield from _commands(each)
    else:
        yield action


def _keys(action: QAction) -> str:
    return " or ".join(words for key in action.shortcuts() if (words := _format_key(key)))


def _format_key(key: QKeySequence) -> str:
    return key.toString(QKeySequence.SequenceFormat.NativeText)


def _title(text: str) -> str:
    """Remove the mnemonic markers."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")
