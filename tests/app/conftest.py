"""Offscreen Qt for every test of the window."""

import os
import sys

os.environ["QT_QPA_PLATFORM"] = "offscreen"

collect_ignore = [] if sys.platform == "linux" else ["test_real_window.py"]  # it needs Xvfb and PulseAudio
