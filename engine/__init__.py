"""The speech engine, without Qt, for the command line, the window, and Python programs.

`from engine import speak` and the other names in `__all__` are stable; everything else may change. They are loaded when
they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.api import SpokenText, speak
    from engine.runtime.synthesizer import Synthesizer
    from engine.speech import SpeechRequest

__all__ = ["SpeechRequest", "SpokenText", "Synthesizer", "speak"]
_MODULES = {
    "SpeechRequest": "engine.speech",
    "SpokenText": "engine.api",
    "Synthesizer": "engine.runtime.synthesizer",
    "speak": "engine.api",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
