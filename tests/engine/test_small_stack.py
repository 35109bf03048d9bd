"""Speech is made and saved within the stack that a Mac gives to threads of Qt and of other libraries."""

import subprocess
import sys
from pathlib import Path

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


def test_speech_is_made_and_saved_in_every_format(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_THREAD, str(tmp_path)], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert len(list(tmp_path.iterdir())) > 3
