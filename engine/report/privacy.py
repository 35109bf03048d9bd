"""Removes private data from the report: home folder, and names of the user, the machine and voices."""

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
_MIN_NAME_LENGTH = 2
"""The minimum length of a private name: a single letter occurs in any text and reveals nothing."""
_MIN_NAME_BYTES = 5
"""The minimum length in binary files, where shorter names occur by chance."""
_OF_ANY_MACHINE = frozenset({"localhost", "localhost.localdomain"})
_KEY_OF_MACHINE = re.compile(rb'("crashReporterKey"\s*:\s*")[^"]*')
"""The key in crash reports that identifies the machine."""


@dataclass(frozen=True)
class Private:
    """Private text and its replacements: folders are replaced anywhere, names as whole words."""

    folders: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def here(cls, folders: Mapping[str, str]) -> Private:
        """Return the private data of this machine, and these folders."""
        homes = {os.path.expanduser("~"), os.path.expanduser(f"~{_login()}"), os.path.realpath(os.path.expanduser("~"))}
        names = dict.fromkeys(_names_of_host(), HOST) | dict.fromkeys(_names_of_voices(), VOICE)
        return cls(
            {home: HOME for home in homes if os.path.isabs(home) and home != "/"} | dict(folders),
            names | dict.fromkeys(_names_of_user(), USER),
        )

    def redacted(self, content: bytes) -> bytes | None:
        """Return the content without private data, or None for a binary file that contains some."""
        if (text := _text(content)) is None:
            names = (name for name in self.names if len(name) >= _MIN_NAME_BYTES)
            return None if _pattern(self.folders, names).search(content.decode("utf-8", "replace")) else content
        return _KEY_OF_MACHINE.sub(rb"\1", self.words(text).encode())

    def words(self, text: str) -> str:
        """Return a text without private data."""
        return _pattern(self.folders, self.names).sub(lambda found: self._stand_ins.get(_key(found[0]), USER), text)

    @cached_property
    def _stand_ins(self) -> dict[str, str]:
        return {_key(form): new for old, new in {**self.names, **self.folders}.items() for form in _forms(old)}


def _key(text: str) -> str:
    return text.casefold()


def _pattern(folders: Iterable[str], names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"{_alternatives(folders)}|(?<![^\W_]){_alternatives(names)}(?![^\W_])", re.IGNORECASE)


def _alternatives(words: Iterable[str]) -> str:
    """Return a pattern for any of these, in any form, the longest first; it matches nothing if there are none."""
    forms = {form for word in words for form in _forms(word)}
    return f"(?:{'|'.join(map(re.escape, sorted(forms, key=len, reverse=True))) or '(?!)'})"


def _forms(text: str) -> Iterator[str]:
    """Yield the forms in which a text may occur: composed or not, plain, in JSON, in a URL."""
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
    return (name for name in names if len(name) >= _MIN_NAME_LENGTH and name.casefold() not in _OF_ANY_MACHINE)


def _login() -> str:
    """Return the login name, or an empty string if there is none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _names_of_user() -> Iterator[str]:
    """Return the login name and the full name, whole and word by word, because devices are often named after users."""
    names = [_login()]
    with suppress(KeyError):  # a user ID without an entry
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
    """Return the names that the user gave to blends."""
    with suppress(EngineError):
        return _long_enough(SavedVoices().recipes())
    return iter(())
