"""Speaking, validating and starting touch no network, in no process: whoever tries is caught."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.runtime.synthesizer import Synthesizer
from tests.patience import PATIENCE_SECONDS

WATCH = """
import os, socket, sys

NETWORKS = (socket.AF_INET, socket.AF_INET6)

def watch(event, arguments):
    asked = event in ("socket.getaddrinfo", "socket.gethostbyname")
    sent = event in ("socket.connect", "socket.sendto") and arguments[0].family in NETWORKS
    if asked or sent:
        with open(os.environ["NETWORK_LOG"], "a") as log:
            log.write(f"{sys.argv} {event} {arguments}\\n")
        raise OSError("There is no network here.")

sys.addaudithook(watch)
"""

COMMANDS = {
    "speaking": ["-m", "engine", "speak", "Good morning, zyxwvut.", "--out", "{folder}/a.wav"],
    "having the model": ["-m", "engine", "speak", "Hi.", "--fetch", "starter", "--out", "{folder}/a.wav"],
    "validating": ["-m", "engine", "validate", "--text", "Hi.", "--regimes", "upstream,compiled"],
    "listing": ["-m", "engine", "models", "list"],
    "starting": ["-m", "app", "--screenshot", "{folder}/a.png"],
}


@pytest.fixture
def watched(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    return {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "NETWORK_LOG": str(tmp_path / "network.log"),
        "QT_QPA_PLATFORM": "offscreen",
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_no_network_is_touched(name: str, watched: dict[str, str], tmp_path: Path, starter: Synthesizer) -> None:
    command = [sys.executable, *(word.format(folder=tmp_path) for word in COMMANDS[name])]
    done = subprocess.run(
        command, env=watched, capture_output=True, text=True, timeout=2 * PATIENCE_SECONDS, check=False
    )
    assert not (tmp_path / "network.log").exists(), (tmp_path / "network.log").read_text()
    assert done.returncode == 0, done.stderr


def test_whoever_tries_is_caught(watched: dict[str, str], tmp_path: Path) -> None:
    code = "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')"
    done = subprocess.run([sys.executable, "-c", code], env=watched, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "127.0.0.1" in (tmp_path / "network.log").read_text()
