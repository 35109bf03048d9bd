"""The app's command lines: `python -m app` opens the window, `kokoro-desk` also runs the engine's commands."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from app.desktop.desktop_entry import add_entry, remove_entry
from app.options import Options
from app.system.display import MISSING_LIBRARY, why_no_window
from engine.__main__ import main as run_command
from engine.speech import FASTEST_SPEED, SLOWEST_SPEED
from engine.system.imports import stay_offline


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the window; exit code 0, 1 after a failure, 2 for an invalid command line."""
    stay_offline()
    options = build_parser().parse_args(arguments)
    desktop_entry = vars(options).pop("desktop_entry")
    if desktop_entry is not None:
        return _change_desktop_entry(desktop_entry)
    problem = why_no_window()
    if problem is not None:
        print(problem, file=sys.stderr)
        return 1
    try:
        from app.start import run_application  # imports Qt, whose system libraries may be missing
    except ImportError as error:
        print(f"{MISSING_LIBRARY} ({error})", file=sys.stderr)
        return 1
    return run_application(Options(**vars(options)))


def kokoro_desk(arguments: Sequence[str] | None = None) -> int:
    """Run a command of the engine, such as `kokoro-desk speak`, or open the window.

    A suffix or a folder distinguishes a document from a command: `book.epub`, `./README`.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    first = arguments[0] if arguments else "-"
    if first.startswith("-") or os.sep in first or Path(first).suffix:
        return main(arguments)
    return run_command(arguments)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the window's options."""
    parser = argparse.ArgumentParser(
        prog="kokoro-desk", description="Opens the window, which reads text and documents aloud."
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("file", nargs="?", type=Path, metavar="FILE", help="open this document")
    what.add_argument("--text", help="put this text into the editor and speak it")
    parser.add_argument("--voice", help="speak with this voice, such as af_heart")
    parser.add_argument("--model", help="speak with this model, such as kokoro-82m")
    parser.add_argument(
        "--fetch", metavar="MODEL", help="download this model in the background, unless it or a better one is installed"
    )
    parser.add_argument("--speed", type=_speed, help=f"{SLOWEST_SPEED:g} to {FASTEST_SPEED:g}; 1 is the normal speed")
    parser.add_argument(
        "--appearance", choices=("light", "dark"), help="appearance of this window (default: as set in it)"
    )
    parser.add_argument("--diagnostics", action="store_true", help="also open the diagnostics panel")
    parser.add_argument(
        "--screenshot",
        type=_picture,
        metavar="F.png",
        help="save a picture of the window (of diagnostics with --diagnostics) once it is idle, then quit",
    )
    parser.add_argument(
        "--desktop-entry", choices=("add", "remove"), help="add the app to the desktop’s menu, or remove it"
    )
    return parser


def _change_desktop_entry(change: str) -> int:
    if sys.platform != "linux":
        print("--desktop-entry is available on Linux only; a Mac finds apps by itself.", file=sys.stderr)
        return 1
    try:
        path = add_entry() if change == "add" else remove_entry()
    except OSError as error:
        print(f"{error.filename} can’t be written ({error.strerror}).", file=sys.stderr)
        return 1
    print(f"The desktop menu {'now lists' if change == 'add' else 'no longer lists'} the app: {path}")
    return 0


def _speed(words: str) -> float:
    try:
        speed = float(words)
    except ValueError:
        speed = math.nan
    if not SLOWEST_SPEED <= speed <= FASTEST_SPEED:
        raise argparse.ArgumentTypeError(
            f"“{words}” isn’t a speed; choose a number from {SLOWEST_SPEED:g} to {FASTEST_SPEED:g}"
        )
    return speed


def _picture(words: str) -> Path:
    path = Path(words)
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"the folder {path.absolute().parent} doesn’t exist")
    return path


if __name__ == "__main__":
    sys.exit(main())
