"""A private display, sound server and recorder for tests with the real window.

Linux only: Xvfb, PulseAudio with a null sink, and ALSA's bridge to it, all private and ended by their own processes.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import numpy as np

from tests.patience import wait_until

RATE_HZ = 24_000
SINK = "desk"
MAX_BETWEEN_PIECES_SECONDS = 0.004

_SERVER_SCRIPT = """
load-module module-native-protocol-unix auth-anonymous=1 socket={socket}
load-module module-null-sink sink_name={sink} rate={rate} channels=1 format=float32le norewinds=1
"""
_ALSA_CONFIGURATION = """
</usr/share/alsa/alsa.conf>
pcm.!default {{ type pulse }}
ctl.!default {{ type pulse }}
"""


OWN_SHARE = ["sh", "-c", 'echo -15 2>/dev/null >/proc/self/autogroup; exec "$@"', "sh"]
"""Run in a separate session with a high share of the CPU where allowed: a busy machine causes gaps that are not ours.
"""


@contextmanager
def virtual_display() -> Iterator[str]:
    """Run an X server on a free number; yields the value for DISPLAY."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    with running(command, pass_fds=(writing,)):
        os.close(writing)
        with os.fdopen(reading) as pipe:
            number = pipe.readline().strip()
        yield f":{number}"


class SoundServer:
    """A private PulseAudio; `environment` directs a program's ALSA to it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "pulse.socket"
        (folder / "server.pa").write_text(
            _SERVER_SCRIPT.format(socket=self._socket, sink=SINK, rate=RATE_HZ), encoding="utf-8"
        )
        (folder / "alsa.conf").write_text(_ALSA_CONFIGURATION.format(), encoding="utf-8")
        self.environment = {
            "PULSE_SERVER": f"unix:{self._socket}",
            "ALSA_CONFIG_PATH": str(folder / "alsa.conf"),
            "XDG_RUNTIME_DIR": str(folder),
            "PULSE_COOKIE": str(folder / "cookie"),
        }

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run until the block ends; may be started again after it."""
        self._socket.unlink(missing_ok=True)
        command = ["pulseaudio", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--realtime=no"]
        command += ["--log-target=null", "-n", "-F", str(self._folder / "server.pa")]
        with running(command, env=os.environ | self.environment | {"HOME": str(self._folder)}):
            wait_until(self._answers, "the sound server")
            yield

    def _answers(self) -> bool:
        if not self._socket.exists():
            return False
        asked = subprocess.run(
            ["pactl", "list", "short", "sinks"],
            capture_output=True,
            text=True,
            env=os.environ | self.environment,
            check=False,
        )
        return SINK in asked.stdout


class Recorder:
    """Records everything the sink plays, with the time at which each sample was played."""

    def __init__(self, server: SoundServer) -> None:
        self._server = server
        self._blocks: list[tuple[float, np.ndarray]] = []

    @contextmanager
    def running(self) -> Iterator[Recorder]:
        """Record until the block ends."""
        command = ["parec", f"--device={SINK}.monitor", "--raw", "--format=float32le", f"--rate={RATE_HZ}"]
        command += ["--channels=1", "--latency-msec=20"]
        environment = os.environ | self._server.environment
        with running(command, stdout=subprocess.PIPE, env=environment) as process:
            thread = threading.Thread(target=self._read, args=(process,), daemon=True)
            thread.start()
            wait_until(lambda: bool(self._blocks), "the recorder")
            yield self
        thread.join()

    def samples(self) -> np.ndarray:
        """Return the whole recording [n] float32."""
        return np.concatenate([np.zeros(0, np.float32), *(block for _, block in self._blocks)])

    def last_sound_at(self) -> float:
        """Return the time, as of `time.time`, when the last sample that is not silence arrived."""
        return next(moment for moment, block in reversed(self._blocks) if block.any())

    def heard_at(self, sample: int) -> float:
        """Return the time, as of `time.time`, when the sample of this number was played.

        The sink plays evenly, and hands over each block when it begins to play it. On a busy machine some blocks arrive
        much later; half of them are on time.
        """
        return median(self._starts()) + sample / RATE_HZ

    def _starts(self) -> Iterator[float]:
        """Yield for each block when the recording began if the block was on time; a block may arrive in pieces."""
        first, handed_over = 0, 0.0
        for moment, block in self._blocks:
            if moment - handed_over > MAX_BETWEEN_PIECES_SECONDS:
                handed_over = moment
                yield moment - first / RATE_HZ
            first += len(block)

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        rest = b""
        with process.stdout as pipe:
            while data := os.read(pipe.fileno(), 1 << 16):
                data = rest + data
                whole = len(data) // 4 * 4
                rest = data[whole:]
                self._blocks.append((time.time(), np.frombuffer(data[:whole], "<f4").copy()))


@contextmanager
def running(command: list[str], **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process that ends with the block."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | options
    process = subprocess.Popen([*OWN_SHARE, *command], start_new_session=True, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
