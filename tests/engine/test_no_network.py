"""Speaking, validating and starting use no network, in any process, and need no more stack than a Mac provides."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    "speaking from Python": ["-c", "import engine; engine.speak('Good morning, zyxwvut.').save('{folder}/a.wav')"],
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
def test_no_network_is_touched(name, watched, tmp_path, starter):
    command = [sys.executable, *(word.format(folder=tmp_path) for word in COMMANDS[name])]
    done = subprocess.run(
        command, env=watched, capture_output=True, text=True, timeout=2 * PATIENCE_SECONDS, check=False
    )
    assert not (tmp_path / "network.log").exists(), (tmp_path / "network.log").read_text()
    assert done.returncode == 0, done.stderr


def test_attempted_network_access_is_caught(watched, tmp_path):
    code = "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')"
    done = subprocess.run([sys.executable, "-c", code], env=watched, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "127.0.0.1" in (tmp_path / "network.log").read_text()


PROJECT = Path(__file__).resolve().parents[2]
STACK_BYTES = 512 * 1024
IN_A_THREAD = f"""
import sys, threading
from pathlib import Path
import numpy as np
from engine.audio.sound_file import save_speech, writable_suffixes
from engine.speech import SpeechRequest
from engine.runtime.synthesizer import Synthesizer

def speak():
    synthesizer = Synthesizer("starter")
    chunks = [chunk.samples for chunk in synthesizer.synthesize(SpeechRequest("Hello, world.", "af_heart"))]
    for suffix in writable_suffixes():
        save_speech(Path(sys.argv[1], "speech").with_suffix(suffix), np.concatenate(chunks), 24000)
    synthesizer.close()
    print("done")

threading.stack_size({STACK_BYTES})
thread = threading.Thread(target=speak)
thread.start()
thread.join()
"""


def test_speech_is_generated_and_saved_in_every_format(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", IN_A_THREAD, str(tmp_path)], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert len(list(tmp_path.iterdir())) > 3
