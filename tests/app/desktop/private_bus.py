"""A session bus for one test, with GLib's own program as its client."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE_SECONDS
from tests.processes import running_until_killed

PLAYER = "org.mpris.MediaPlayer2.Player"
OBJECT = "/org/mpris/MediaPlayer2"


@dataclass(frozen=True)
class PrivateBus:
    address: str

    def call(self, name: str, method: str, *arguments: str) -> str:
        """Return the reply to a call, as GLib writes it; raises `CalledProcessError`."""
        command = ["gdbus", "call", "--address", self.address, "--dest", name, "--object-path", OBJECT]
        command += ["--method", method, "--", *arguments]
        return said_by(command)

    def get(self, name: str, interface: str, property_name: str) -> str:
        return self.call(name, "org.freedesktop.DBus.Properties.Get", interface, property_name)

    def names(self) -> list[str]:
        command = ["gdbus", "call", "--address", self.address, "--dest", "org.freedesktop.DBus"]
        command += ["--object-path", "/org/freedesktop/DBus", "--method", "org.freedesktop.DBus.ListNames"]
        return ast.literal_eval(said_by(command))[0]

    @contextmanager
    def monitored(self, name: str, said: Path) -> Iterator[None]:
        """Record the signals of the owner of this name in a file within the context, with GLib's program."""
        command = ["gdbus", "monitor", "--address", self.address, "--dest", name]
        with said.open("w") as file, running_until_killed(command, stdout=file):
            yield


def said_by(command: list[str]) -> str:
    """Return the output of a program that ends by itself."""
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    return done.stdout.strip()


@contextmanager
def private_bus() -> Iterator[PrivateBus]:
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield PrivateBus(process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
        process.stdout.close()
