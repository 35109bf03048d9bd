"""On a Mac the real device stands where the software one would."""

from __future__ import annotations

import sys

collect_ignore_glob = ["test_*.py"] if sys.platform == "darwin" else []
