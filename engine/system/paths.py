"""Paths on this machine: shipped resources, the user's cache and data folders, built modules."""

from __future__ import annotations

from pathlib import Path

import platformdirs

APPLICATION_NAME = "Kokoro Desk"
_FOLDER_NAME = "kokoro-desk"
PACKED_WEIGHTS_SUFFIX = ".weights"


def project_folder() -> Path:
    """Return the folder that holds `app`, `engine`, `resources` and `compiled_models`."""
    return Path(__file__).resolve().parents[2]


def resources_folder() -> Path:
    """Return the folder of files shipped with the application: starter model, icons, sample text."""
    return project_folder() / "resources"


def sample_text_path() -> Path:
    """Return the path of the default text."""
    return resources_folder() / "sample.txt"


def starter_folder() -> Path:
    """Return the folder of the bundled starter model and its voices."""
    return resources_folder() / "starter"


def cache_folder() -> Path:
    """Return the user's cache folder for this application; it may be deleted at any time."""
    return Path(platformdirs.user_cache_dir(_FOLDER_NAME, appauthor=False))


def data_folder() -> Path:
    """Return the user's data folder for this application: downloaded or imported models, and the last texts."""
    return Path(platformdirs.user_data_dir(_FOLDER_NAME, appauthor=False))


def shipped_modules_folder() -> Path:
    """Return the folder of the modules shipped with the application, by architecture and target."""
    return project_folder() / "compiled_models"


def built_modules_folder() -> Path:
    """Return the folder of the modules compiled on this machine, by architecture and target."""
    return cache_folder() / "compiled"


def packed_weights_folder() -> Path:
    """Return the folder of packed weights for compiled modules, by model and device."""
    return cache_folder() / "weights"


def kept_speech_folder() -> Path:
    """Return the cache of recent speech, sentence by sentence, so that an edit regenerates only what it changes."""
    return cache_folder() / "speech"
