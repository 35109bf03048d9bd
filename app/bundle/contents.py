"""The contents of a bundle, for PyInstaller's recipe and for the check after it."""

from __future__ import annotations

import ctypes
import platform
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes.util import find_library
from importlib.machinery import PathFinder
from importlib.metadata import distribution
from pathlib import Path

from engine.compiler.artifacts.manifest import compiler_sources, student_sources
from engine.compiler.artifacts.processor_families import families_of
from engine.errors import EngineError, RecoveryAction
from engine.system.paths import project_folder, resources_folder, shipped_modules_folder

Files = list[tuple[str, str]]
"""Pairs of a file and its target folder in the bundle."""

Entry = tuple[str, str, str]
"""A file in PyInstaller's terms: its path in the bundle, its source and its kind."""

LEFT_OUT = (
    # Needed only for building, comparing and measuring; “engine reference” adds the packages for comparing.
    "torch", "kokoro", "transformers", "tokenizers", "tvm", "matplotlib", "PIL", "fontTools", "jinja2",
    "scipy", "pocketsphinx", "pystoi", "speechmos", "onnx", "onnxruntime", "onnxscript", "openvino", "hibari",
    "ziglang",
    # Optional dependencies of packages.
    "IPython", "tkinter", "_tkinter", "readline", "curses",
    "setuptools", "pkg_resources", "pytest", "_pytest", "hypothesis", "mypy", "hf_xet",
    "curated_tokenizers", "curated_transformers", "spacy_curated_transformers", "nltk", "sympy", "networkx",
    "pyqtgraph.examples", "pyqtgraph.opengl", "spacy.tests", "thinc.tests",
    "PySide6.QtTest", "spacy.cli", "rich", "pygments", "numpy.f2py", "pydoc_data", "pip",
)  # fmt: skip
"""Packages whose imports PyInstaller must not follow; pip is bundled as files."""

DENIED = re.compile(
    r"""
    (^|/)(torch|transformers|scipy|ziglang)/
    | libtvm_compiler | libtvm_runtime_(cuda|extra)
    | PySide6/.*(WebEngine|Qml|Quick|3D|Charts|DataVisualization|Graphs|Designer|Help|Multimedia|Pdf|Sql|Test|UiTools)
    | PySide6/.*(VirtualKeyboard|virtualkeyboard|Labs|Lottie|WaylandCompositor|EglF[Ss]|qpdf)
    | PySide6/(Qt/)?(qml|translations|metatypes|libexec)/
    | plugins/(tls|networkinformation|sqldrivers|printsupport|egldeviceintegrations|generic|vectorimageformats)/
    | plugins/(qmltooling|qmllint|designer|wayland-graphics-integration-server)/
    | plugins/platforms/libq(eglfs|linuxfb|minimalegl|vkkhrdisplay|vnc)\b
    | plugins/platformthemes/libqgtk3\b
    | \.dSYM/ | espeak-ng-data/(ar|ca|da|fa|hu|ia|lb|ru|ta|yue)_dict
    | misaki/data/(ja|vi)_ | babel/locale-data/
    | \.(dist|egg)-info/(RECORD|direct_url\.json|INSTALLER|REQUESTED|SOURCES\.txt)$
    | (^|/)libasound\.so
    """,
    re.VERBOSE,
)
"""The files that no bundle may contain, by their path in it; unused parts of Qt would triple its size.

Of espeak-ng's dictionaries, the largest ones of unsupported languages are denied. ALSA's library belongs to the system,
which has matching settings and plug-ins. Some package files record where and how they were installed.
"""

_DATA_PACKAGES = {
    "misaki": ("data/*",),
    "textblob": ("en/*",),
    "espeakng_loader": ("espeak-ng-data/**/*",),
    "spacy": ("*.cfg", "*.json"),
    "language_tags": ("data/**/*",),
    "pyqtgraph": ("icons/**/*", "colors/**/*"),
    "certifi": ("*.pem",),
    "pypdfium2_raw": ("version.json",),
    "pip": ("**/*.py", "**/*.pem", "**/*.txt"),
    "tvm": ("__init__.py",),
}
"""Files that packages open, besides modules; pip is all data, and only the location of tvm's libraries is needed."""
_LIBRARIES = {
    "espeakng_loader": ("libespeak-ng*",),
    "tvm": ("lib/libtvm_runtime.*", "lib/libtvm_runtime_metal.*"),
    "tvm_ffi": ("lib/libtvm_ffi*",),
    "pypdfium2_raw": ("libpdfium*",),
    "_soundfile_data": ("libsndfile*",),
    "_sounddevice_data": ("portaudio-binaries/*.dylib",),
}
"""Libraries that packages load by path, in addition to linked ones."""

_DISTRIBUTIONS = ("apache-tvm", "apache-tvm-ffi", "misaki", "PySide6-Essentials", "spacy", "thinc")
_LICENSES = ("LICENSE", "NOTICE")
_OF_DOCUMENTS = (".png", ".webp", ".wav", ".mp3")
"""The suffixes of pictures and audio files in the documents."""
_METAL = "-metal-macos"
_NOT_FOR_APPLICATIONS = (
    "idlelib", "lib2to3", "tkinter", "_tkinter", "turtle", "turtledemo", "antigravity", "this", "curses", "_curses",
    "_curses_panel", "readline", "nis", "dbm", "_dbm", "_gdbm",
)  # fmt: skip


_LINKED = re.compile(r"(PySide6/Qt/lib/)?lib(?!python)[^/]+\.so(\.\d+)*")
"""Libraries that are bundled only because others link to them, and symbolic links to those.

The bundle's program itself loads Python.
"""
_TESTS = re.compile(r"\.(test|tests|idle_test|__main__)\b")
_HIDDEN = ("PySide6.QtOpenGL", "lxml._elementpath")
"""Modules that packages import by computed names, which no analysis finds."""

_FOR_LINUX = ("app.desktop.mpris", "app.desktop.mpris_interfaces")
"""Modules for Linux only, whose dependencies other systems lack."""


def is_denied(place: str) -> bool:
    """Return whether the bundle must not contain a file at this path."""
    return DENIED.search(place) is not None


def without_orphans(entries: Sequence[Entry], linked_with: Callable[[str], Iterable[str]]) -> list[Entry]:
    """Drop libraries that only denied files are linked with.

    `linked_with` returns the names of the libraries that a file is linked with.
    """
    loaded = {Path(file).name for file, _ in libraries()}
    kept = [entry for entry in entries if not _LINKED.fullmatch(entry[0]) or Path(entry[0]).name in loaded]
    orphans = [entry for entry in entries if entry not in kept]
    while orphans:
        needed = {name for entry in kept if entry[2] != "SYMLINK" for name in linked_with(entry[1])}
        found = [entry for entry in orphans if Path(entry[0]).name in needed]
        if not found:
            break
        kept += found
        orphans = [entry for entry in orphans if entry not in found]
    return kept


def modules() -> list[str]:
    """Return every module of the app, and the whole standard library, which packages added later may need."""
    found = [name for package in ("engine", "app") for name in _modules_of(project_folder() / package)]
    ours = [name for name in found if sys.platform == "linux" or name not in _FOR_LINUX]
    return [*ours, *_HIDDEN, *_standard_library()]


def _standard_library() -> Iterator[str]:
    for name in sorted(sys.stdlib_module_names.difference(_NOT_FOR_APPLICATIONS)):
        found = PathFinder.find_spec(name)  # setuptools patches importlib.util.find_spec
        if found is not None:  # some are for other systems, others built into Python's own library
            yield name
            for folder in found.submodule_search_locations or ():
                yield from (module for module in _modules_of(Path(folder)) if not _TESTS.search(module))


def _modules_of(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def data_files() -> Files:
    """Return the app's own files, and those that packages open: data, licenses, names and versions."""
    return [*own_files(), *_files_of(_DATA_PACKAGES), *_metadata()]


def libraries() -> Files:
    """Return the libraries that packages load by path."""
    return [*_files_of(_LIBRARIES), *([] if sys.platform == "darwin" else _portaudio())]


def shipped_modules(system: str = platform.system(), machine: str = platform.machine()) -> Files:
    """Return the compiled modules for a system, to be copied unchanged: PyInstaller would rewrite libraries."""
    fitting = [family.name for family in families_of(system, machine)]
    if system == "Darwin":
        fitting.append(_METAL)
    folders = [path for path in shipped_modules_folder().iterdir() if any(name in path.name for name in fitting)]
    return [_placed(path) for folder in folders for path in sorted(folder.iterdir())]


def own_files() -> Files:
    """Return the app's other files: resources, licenses, and the sources whose hashes shipped modules contain."""
    resources = sorted(path for path in resources_folder().rglob("*") if path.suffix not in _OF_DOCUMENTS)
    licenses = [project_folder() / name for name in _LICENSES]
    sources = (*compiler_sources(), *student_sources())
    return [_placed(path) for path in (*resources, *licenses, *sources) if path.is_file()]


def _placed(path: Path) -> tuple[str, str]:
    """Return a file of the app with the same folder as here."""
    return str(path), path.relative_to(project_folder()).parent.as_posix()


def _files_of(packages: Mapping[str, Sequence[str]]) -> Files:
    """Return files of installed packages by patterns, in the same folders as in the packages."""
    return [
        (str(path), (Path(name) / path.relative_to(folder)).parent.as_posix())
        for name, patterns in packages.items()
        for folder in _folders(name)
        for pattern in patterns
        for path in sorted(folder.glob(pattern))
        if path.is_file() and not is_denied(f"{name}/{path.relative_to(folder).as_posix()}")
    ]


def _folders(package: str) -> list[Path]:
    """Return the folders of a package; empty if it is not installed because only other systems need it."""
    found = PathFinder.find_spec(package)
    return [] if found is None else [Path(folder) for folder in found.submodule_search_locations or ()]


def _metadata() -> Files:
    """Return names, versions, entry points and licenses of the installed packages whose code is in the bundle."""
    files = (path for name in _DISTRIBUTIONS for path in distribution(name).files or ())
    wanted = (path for path in files if ".dist-info" in path.parts[0] and not is_denied(path.as_posix()))
    return [(str(path.locate()), path.parent.as_posix()) for path in wanted]


def _portaudio() -> Files:
    """Return the system's PortAudio, which the package sounddevice includes for macOS only."""
    name = find_library("portaudio")
    if name is None:
        raise EngineError(
            "The bundle needs PortAudio, which isn’t installed.", "Run “make setup”.", RecoveryAction.INSTALL_AGAIN
        )
    return [(str(_loaded_from(name)), ".")]


def _loaded_from(name: str) -> Path:
    """Return the file that the loader finds for a library's name."""
    ctypes.CDLL(name)
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return next(Path(line.split()[-1]) for line in lines if Path(line.split()[-1]).name.startswith(name))
