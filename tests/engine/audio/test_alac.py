import errno
import io
import subprocess
import sys
from pathlib import Path

import numpy as np

from engine.audio.alac import PACKET_SAMPLES, decoder_settings, packet_of

ROOT = Path(__file__).resolve().parents[3]
RATE_HZ = 24_000


def noise(count: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-3000, 3000, count).astype(np.int16)


def test_speech_like_samples_get_smaller_and_a_packet_stands_alone() -> None:
    pcm = noise(2 * PACKET_SAMPLES)
    first, second = packet_of(pcm[:PACKET_SAMPLES], RATE_HZ), packet_of(pcm[PACKET_SAMPLES:], RATE_HZ)
    assert 0 < len(first) < 2 * PACKET_SAMPLES
    assert packet_of(pcm[PACKET_SAMPLES:], RATE_HZ) == second


def test_the_settings_are_those_that_libsndfile_encodes_with() -> None:
    import soundfile

    caf = io.BytesIO()
    soundfile.write(caf, noise(PACKET_SAMPLES), RATE_HZ, format="CAF", subtype="ALAC_16")
    content = caf.getvalue()
    cookie = content[content.index(b"kuki") + 12 :][:24]
    own = decoder_settings(RATE_HZ)
    assert (own[:12], own[20:]) == (cookie[:12], cookie[20:])  # between them are sizes


def test_a_full_temporary_folder_is_an_error_and_no_crash() -> None:
    program = """
import resource, signal
import numpy as np
from engine.audio.alac import packet_of
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
pcm = np.random.default_rng(0).integers(-30000, 30000, 4096).astype(np.int16)
for _ in range(3):
    try:
        packet_of(pcm, 24_000)
    except OSError as error:
        print(error.errno)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ended.stdout.split() == [str(errno.ENOSPC)] * 3
