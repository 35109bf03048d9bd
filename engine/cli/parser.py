"""The commands of `python -m engine` with their options, and the text that they ask to be spoken.

It does not know how a command is carried out, and prints nothing.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any

from engine.cli.benchmark import add_options as add_benchmark_options
from engine.cli.compile import add_options as add_compile_options
from engine.cli.models import add_options as add_models_options
from engine.cli.validate_options import add_options as add_validation_options
from engine.cli.voices import add_actions as add_voice_actions
from engine.errors import InvalidRequest
from engine.model_store.checkpoints import MODEL_NAMES, STARTER
from engine.preparation.devices import AUTO, DEVICES

DEFAULT_OUTPUT = Path("speech.wav")


def build_parser() -> argparse.ArgumentParser:
    """Every command and option of the contract."""
    parser = argparse.ArgumentParser(prog="python -m engine", description="Speaks text locally with compiled Kokoro.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        _add_speak,
        _add_voices,
        _add_compile,
        _add_pack,
        _add_validate,
        _add_benchmark,
        _add_models,
        _add_doctor,
        _add_train_starter,
        _add_evaluate_starter,
    ):
        add(commands)
    return parser


def _command(commands: Any, name: str, summary: str) -> Any:
    return commands.add_parser(name, help=summary, description=summary)


def _add_model(parser: Any, inherited: bool = False) -> None:
    """The model's options; `inherited` ones leave what the options before them say as it is."""
    kept: dict[str, Any] = {"default": argparse.SUPPRESS} if inherited else {}
    known = f"one of: {', '.join(MODEL_NAMES)} (default: starter)"
    parser.add_argument("--model", **{"default": STARTER, "help": known, **kept})
    parser.add_argument("--weights", help="random:SEED instead of trained weights, for trying an architecture", **kept)


def _add_speak(commands: Any) -> None:
    parser = _command(commands, "speak", "Speak a text into a WAV file or out of the loudspeaker.")
    parser.add_argument("text", nargs="?", help="the text; - reads standard input")
    parser.add_argument("--file", type=Path, help="read the text from this file")
    parser.add_argument(
        "--voice", help="a name from `voices`, or a blend: “a(2)+b(1)” or “a:60,b:40” (default: the first)"
    )
    parser.add_argument("--language", help="another language than the voice's own, such as fr-FR")
    parser.add_argument("--speed", type=float, default=1.0, help="0.5 to 2 (default: 1)")
    parser.add_argument("--pause", type=float, default=1.0, help="how long pauses are, 0 to 3 (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="fixes the noise (default: 0)")
    parser.add_argument("--device", default=AUTO, help=f"one of: {', '.join(DEVICES)} (default: auto)")
    parser.add_argument("--threads", type=int, help="how many threads compute (default: one per core)")
    parser.add_argument("--out", type=Path, help=f"the WAV file (default: {DEFAULT_OUTPUT}, unless --play)")
    parser.add_argument("--play", action="store_true", help="play while speaking")
    parser.add_argument("--json", action="store_true", help="print figures as JSON")
    _add_model(parser)


def _add_voices(commands: Any) -> None:
    parser = _command(commands, "voices", "List the voices; save and remove blends of them; try a voice.")
    add_voice_actions(parser, partial(_add_model, inherited=True))
    parser.add_argument("--json", action="store_true")
    _add_model(parser)


def _add_compile(commands: Any) -> None:
    parser = _command(commands, "compile", "Build the compiled modules of a model.")
    add_compile_options(parser)
    _add_model(parser)


def _add_pack(commands: Any) -> None:
    parser = _command(commands, "pack", "Pack a model's weights for its modules, as speaking does.")
    parser.add_argument("--modules", type=Path, required=True, help="the folder of the compiled modules")
    parser.add_argument("--progress-json", action="store_true", help=argparse.SUPPRESS)
    _add_model(parser)


def _add_validate(commands: Any) -> None:
    parser = _command(commands, "validate", "Compare the compiled model with PyTorch, stage by stage.")
    add_validation_options(parser)
    _add_model(parser)


def _add_benchmark(commands: Any) -> None:
    parser = _command(commands, "benchmark", "Measure speed beside others, or say it on paper, for Macs.")
    add_benchmark_options(parser)
    _add_model(parser)


def _add_models(commands: Any) -> None:
    parser = _command(commands, "models", "List, fetch, import, verify or remove models.")
    add_models_options(parser)


def _add_doctor(commands: Any) -> None:
    parser = _command(commands, "doctor", "Check this installation.")
    parser.add_argument("--json", action="store_true")


def _add_train_starter(commands: Any) -> None:
    parser = _command(commands, "train-starter", "Train the bundled starter model from scratch.")
    parser.add_argument("--work-dir", type=Path, required=True, help="data and checkpoints; resumes what is there")
    parser.add_argument("--output-dir", type=Path, help="where the finished model goes (default: WORK_DIR/package)")
    parser.add_argument("--minutes", type=float, help="scale the whole training to about this many CPU minutes")


def _add_evaluate_starter(commands: Any) -> None:
    parser = _command(commands, "evaluate-starter", "Word error rate on the held-out sentences.")
    parser.add_argument("--sentences", type=int, default=40, help="how many of the 40 (default: all)")
    parser.add_argument("--json", action="store_true")


def text_of(options: argparse.Namespace) -> str:
    """The text that `speak` was given in one of three ways; raises `InvalidRequest` when there is none."""
    if options.file is not None:
        return _read(options.file)
    if options.text == "-":
        return sys.stdin.read()
    if options.text is None:
        raise InvalidRequest("No text was given.", "Write it after speak, or use --file F, or - for standard input.")
    return str(options.text)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidRequest(f"{path} cannot be read ({error.strerror}).", "Name a text file.") from error
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{path} is not UTF-8 text.", "Save it as UTF-8 text first.") from error
