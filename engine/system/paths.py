"""Where things are on this machine: shipped resources, the user's cache and data folders, built modules."""

from __future__ import annotations

from pathlib import Path

import platformdirs

APPLICATION_NAME = "Kokoro Desk"
_FOLDER_NAME = "kokoro-desk"
PACKED_WEIGHTS_SUFFIX = ".weights"


def project_folder() -> Path:
    """The folder that holds `app`, `engine`, `resources` and `compiled_models`."""
    return Path(__file__).resolve().parents[2]


def resources_folder() -> Path:
    """Files shipped with the application: starter model, icons, sample text."""
    return project_folder() / "resources"


def sample_text_path() -> Path:
    """The text that is spoken when none is given."""
    return resources_folder() / "sample.txt"


def starter_folder() -> Path:
    """The bundled starter model and its voices."""
    return resources_folder() / "starter"


def cache_folder() -> Path:
    """The user's cache folder for this application; it may be deleted at any time."""
    return Path(platformdirs.user_cache_dir(_FOLDER_NAME, appauthor=False))


def data_folder() -> Path:
    """The user's data folder for this application: fetched or imported models, and the last texts."""
    return Path(platformdirs.user_data_dir(_FOLDER_NAME, appauthor=False))


def shipped_modules_folder() -> Path:
    """Modules that come with the application, by architecture and target."""
    return project_folder() / "compiled_models"


def built_modules_folder() -> Path:
    """Modules compiled on this machine, by architecture and target."""
    return cache_folder() / "compiled"


def packed_weights_folder() -> Path:
    """Packed weights, as compiled modules take them, by model and device."""
    return cache_folder() / "weights"


def kept_speech_folder() -> Path:
    """Speech of the last texts, sentence by sentence, so that an edit makes only what it changes."""
    return cache_folder() / "speech"
