"""Fake AAC encoders, which check their arguments and pass the samples through."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

PRIMING = {"ffmpeg": 1024, "afconvert": 2112}
"""The number of silent samples that each encoder puts first."""

_FFMPEG = f"""#!{sys.executable}
import sys
given = sys.argv[1:]
source, target = given[: given.index("pipe:0") + 1], given[given.index("pipe:0") + 1 :]
assert "-nostdin" in source and source[-8:] == "-f s16le -ar 24000 -ac 1 -i pipe:0".split(), given
assert target[:4] == "-c:a aac -b:a 64000".split() and target[-3:] == "-f adts pipe:1".split(), given
sound = bytes(2 * 1024)
while sound:
    size = 7 + 2048
    header = [0xFF, 0xF1, 0x58, 0x40 | size >> 11, size >> 3 & 0xFF, (size & 7) << 5 | 0x1F, 0xFC]
    sys.stdout.buffer.write(bytes(header) + sound.ljust(2048, b"\\0"))
    sound = sys.stdin.buffer.read(2048)
"""

_AFCONVERT = f"""#!{sys.executable}
import struct, sys
import soundfile
source, target, *given = sys.argv[1:]
assert given == ["-f", "caff", "-d", "aac", "-b", "64000"], given
pcm, rate = soundfile.read(source, dtype="int16")
assert rate == 24000 and pcm.ndim == 1
sound = bytes(2 * 2112) + pcm.astype("<i2").tobytes()
packets = [sound[start : start + 2048].ljust(2048, b"\\0") for start in range(0, len(sound), 2048)]
table = struct.pack(">qqii", len(packets), len(pcm), 2112, 1024 * len(packets) - len(pcm) - 2112)
table += bytes([0x80 | 2048 >> 7, 2048 & 0x7F]) * len(packets)
data = bytes(4) + b"".join(packets)
with open(target, "wb") as file:
    file.write(b"caff" + struct.pack(">HH", 1, 0))
    for kind, content in ((b"desc", bytes(32)), (b"data", data), (b"pakt", table)):
        file.write(kind + struct.pack(">q", len(content)) + content)
"""

_PROGRAMS = {"ffmpeg": _FFMPEG, "afconvert": _AFCONVERT}
FAILING = f"""#!{sys.executable}
import sys
sys.stderr.write("Something that nobody reads\\n{{words}}\\n")
sys.exit(1)
"""


def only(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, program: str | None = None) -> Path:
    """Make a fake encoder, or this program, the only one on the path; return its path."""
    path = folder / "programs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(program or _PROGRAMS[name])
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent))
    return path


def none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide all programs."""
    monkeypatch.setenv("PATH", str(folder / "nowhere"))
