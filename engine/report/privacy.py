"""Takes from the report what says whose machine it is: home folder, names of the user, the machine and voices."""

from __future__ import annotations

import getpass
import json
import os
import platform
import pwd
import re
import socket
import subprocess
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import quote

from engine.errors import EngineError
from engine.models.voices.blends import SavedVoices

HOME, USER, HOST, VOICE = "~", "<user>", "<host>", "<voice>"
_SHORTEST_NAME = 2
"""A single letter is in any text, and says nothing."""
_SHORTEST_NAME_IN_BYTES = 5
"""Shorter ones are found by chance in what is no text."""
_OF_ANY_MACHINE = frozenset({"localhost", "localhost.localdomain"})
_KEY_OF_MACHINE = re.compile(rb'("crashReporterKey"\s*:\s*")[^"]*')
"""In crash reports: it is the same in all of one machine."""


@dataclass(frozen=True)
class Private:
    """What is private, each with what stands in its place: folders wherever they occur, names as whole words."""

    folders: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def here(cls, folders: Mapping[str, str]) -> Private:
        """What is private on this machine, and these folders."""
        homes = {os.path.expanduser("~"), os.path.expanduser(f"~{_login()}"), os.path.realpath(os.path.expanduser("~"))}
        names = dict.fromkeys(_names_of_host(), HOST) | dict.fromkeys(_names_of_voices(), VOICE)
        return cls(
            {home: HOME for home in homes if os.path.isabs(home) and home != "/"} | dict(folders),
            names | dict.fromkeys(_names_of_user(), USER),
        )

    def redacted(self, content: bytes) -> bytes | None:
        """The content without what is private; None if it is no text and has it."""
        if (text := _text(content)) is None:
            names = (name for name in self.names if len(name) >= _SHORTEST_NAME_IN_BYTES)
            return None if _pattern(self.folders, names).search(content.decode("utf-8", "replace")) else content
        return _KEY_OF_MACHINE.sub(rb"\1", self.words(text).encode())

    def words(self, text: str) -> str:
        """A text without what is private."""
        return _pattern(self.folders, self.names).sub(lambda found: self._stand_ins.get(_key(found[0]), USER), text)

    @cached_property
    def _stand_ins(self) -> dict[str, str]:
        return {_key(form): new for old, new in {**self.names, **self.folders}.items() for form in _forms(old)}


def _key(text: str) -> str:
    return text.casefold()


def _pattern(folders: Iterable[str], names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"{_alternatives(folders)}|(?<![^\W_]){_alternatives(names)}(?![^\W_])", re.IGNORECASE)


def _alternatives(words: Iterable[str]) -> str:
    """A pattern of any of these, however written, the longest first; of nothing, if there are none."""
    forms = {form for word in words for form in _forms(word)}
    return f"(?:{'|'.join(map(re.escape, sorted(forms, key=len, reverse=True))) or '(?!)'})"


def _forms(text: str) -> Iterator[str]:
    """As it may be written: composed or not, as itself, in JSON, in an address."""
    for form in ("NFC", "NFD"):
        normal = unicodedata.normalize(form, text)
        yield from (normal, json.dumps(normal)[1:-1], quote(normal))


def _text(content: bytes) -> str | None:
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _long_enough(names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if len(name) >= _SHORTEST_NAME and name.casefold() not in _OF_ANY_MACHINE)


def _login() -> str:
    """The name for logging in; empty if there is none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _names_of_user() -> Iterator[str]:
    """The name for logging in and the full name, whole and in its words, which devices are often named after."""
    names = [_login()]
    with suppress(KeyError):  # a number without an entry
        full = pwd.getpwuid(os.getuid()).pw_gecos.partition(",")[0].strip()
        names += [full, *full.split()]
    return _long_enough(names)


def _names_of_host() -> Iterator[str]:
    names = {socket.gethostname(), platform.node(), *map(_name_on_mac, ("ComputerName", "LocalHostName", "HostName"))}
    return _long_enough(names | {name.partition(".")[0] for name in names})


def _name_on_mac(kind: str) -> str:
    try:
        return subprocess.run(["/usr/sbin/scutil", "--get", kind], capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""


def _names_of_voices() -> Iterator[str]:
    """Those that the user gave to blends."""
    with suppress(EngineError):
        return _long_enough(SavedVoices().recipes())
    return iter(())
