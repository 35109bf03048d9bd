"""The differences when running from a bundle: the command to run modules, and the packages users can add.

A bundle is the program with its own Python, in one folder that is never written to. It leaves out PyTorch, the original
network and TVM's compiler: speaking needs none of them, and they would triple its size.
"""

from __future__ import annotations

import sys
from importlib import invalidate_caches
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path

from engine.errors import CompileError, MissingReference, RecoveryAction
from engine.system.paths import data_folder

MODULE_OPTION = "--module"
"""The option of a bundle's program that runs a module, like Python's -m."""
_DISTRIBUTION = "kokoro-desk"
REFERENCE_PACKAGES = ("torch", "kokoro", "transformers", "matplotlib", "jinja2")
"""The packages that the original network and the reports that compare with it need."""


def is_bundle() -> bool:
    """Return whether this process runs from a bundle."""
    return bool(getattr(sys, "frozen", False))


def added_packages_folder() -> Path:
    """Return the folder of packages that were added to a bundle."""
    return data_folder() / "packages"


def require_reference() -> None:
    """Raise `MissingReference` unless PyTorch and the original network are installed."""
    invalidate_caches()  # a package may have been added since
    # Python's finders are asked, because a concurrent thread may be hiding a package from imports.
    missing = [name for name in REFERENCE_PACKAGES if not any(each.find_spec(name, None) for each in sys.meta_path)]
    if missing:
        raise MissingReference(
            f"Comparing with PyTorch needs packages that aren’t installed: {', '.join(missing)}.",
            "In the bundled app, run “kokoro-desk reference”; in a source installation, run “make setup”.",
            RecoveryAction.ADD_REFERENCE,
        )


def reference_requirements() -> tuple[str, ...]:
    """Return the packages that `require_reference` looks for, each with the version that the program is tested with."""
    required = requires(_DISTRIBUTION) or []
    return tuple(one for one in required if one.partition("==")[0] in REFERENCE_PACKAGES)


def has_compiler() -> bool:
    """Return whether TVM's compiler is installed, and not just the libraries that run its output."""
    found = find_spec("tvm")
    return found is not None and found.origin is not None and (Path(found.origin).parent / "relax").is_dir()


def require_compiler() -> None:
    """Raise `CompileError` unless modules can be built on this installation."""
    if not has_compiler():
        raise CompileError("Modules can’t be built here.", "The compiler is part of an installation from source.")
