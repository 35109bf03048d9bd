"""The options of `engine validate`, and what they ask for.

It does not know how a request is validated, and prints nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine.errors import InvalidRequest
from engine.model_store.checkpoints import STARTER, open_checkpoint, starter_voices
from engine.preparation.devices import AUTO, DEVICES
from engine.preparation.lstm_methods import LSTM_METHODS
from engine.speech import SpeechRequest
from engine.stages import STAGE_NAMES
from engine.system.paths import resources_folder, sample_text_path
from engine.validator.results import DEFAULT_REGIMES, Regime, ValidationRequest

STANDARD_OUTPUT = Path("-")
ENGLISH_SENTENCES = resources_folder() / "english_sentences.txt"
SWEEPS = ("padding",)


def add_options(parser: argparse.ArgumentParser | Any) -> None:
    """Everything but the model, which every command has."""
    parser.add_argument("--text", help="what to speak (default: a sample text)")
    parser.add_argument("--voice", help="a name from `voices`, or a blend (default: the first)")
    parser.add_argument("--language", help="another language than the voice's own, such as fr-FR")
    parser.add_argument("--speed", type=float, default=1.0, help="0.5 to 2 (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="fixes the noise, or the random utterances (default: 0)")
    regimes = ",".join(Regime)
    parser.add_argument("--regimes", help=f"of {regimes} (default: all but the last; with --fuzz: compiled)")
    parser.add_argument("--reference", default=Regime.DYNAMIC, help="the regime to compare with (default: dynamic)")
    parser.add_argument("--padding", type=float, default=1.0, help="padding over speech in static regimes (default: 1)")
    parser.add_argument("--cross", default="", metavar="STAGE=REGIME,...", help="also run these stages from elsewhere")
    parser.add_argument("--device", default=AUTO, help=f"one of: {', '.join(DEVICES)} (default: auto)")
    parser.add_argument("--lstm-method", default="auto", help=f"one of: {', '.join(LSTM_METHODS)} (default: auto)")
    parser.add_argument("--probes", action="store_true", help="look inside the stages too")
    parser.add_argument("--sweep", choices=SWEEPS, help="correlation against the amount of padding")
    parser.add_argument("--lstm", action="store_true", help="compare single LSTMs: packed, not packed, compiled")
    parser.add_argument("--fuzz", type=int, metavar="N", help="validate N random utterances of all lengths")
    parser.add_argument(
        "--text-parity",
        type=Path,
        nargs="?",
        const=ENGLISH_SENTENCES,
        metavar="FILE",
        help="compare the phonemes of every line of a file, or of 500 sentences, with kokoro's own G2P",
    )
    parser.add_argument("--json", type=Path, nargs="?", const=STANDARD_OUTPUT, metavar="FILE", help="all figures")
    parser.add_argument("--html", type=Path, metavar="FILE", help="a report with plots")
    parser.add_argument("--wav-dir", type=Path, metavar="FOLDER", help="every waveform, and the differences")
    parser.add_argument("--npz", type=Path, metavar="FILE", help="every compared array")
    parser.add_argument("--bundle", type=Path, metavar="FILE.zip", help="all of these in one file")
    parser.add_argument("--serve", action="store_true", help="answer requests on standard input, for the application")


def request_from(options: argparse.Namespace, arrays_folder: str | None = None) -> ValidationRequest:
    """What the options ask for; raises `InvalidRequest` for names that are none."""
    text = options.text if options.text is not None else sample_text_path().read_text(encoding="utf-8")
    voice = options.voice or _first_voice(options)
    return ValidationRequest(
        speech=SpeechRequest(text, voice, options.speed, options.seed, language=options.language),
        model=options.model,
        weights=options.weights,
        regimes=_regimes(options),
        reference=regime_named(options.reference),
        padding=options.padding,
        device=options.device,
        lstm_method=options.lstm_method,
        probes=options.probes,
        cross=_crossed(options.cross),
        arrays_folder=arrays_folder,
    )


def _regimes(options: argparse.Namespace) -> tuple[Regime, ...]:
    if options.regimes is not None:
        return tuple(regime_named(name) for name in options.regimes.split(","))
    return DEFAULT_REGIMES if options.fuzz is None else (Regime.COMPILED,)


def regime_named(name: str) -> Regime:
    """The regime of this name; raises `InvalidRequest` with the known ones."""
    try:
        return Regime(name.strip())
    except ValueError:
        raise InvalidRequest(f"There is no regime “{name}”.", f"Regimes: {', '.join(Regime)}.") from None


def _first_voice(options: argparse.Namespace) -> str:
    if options.model == STARTER and options.weights is None:
        return starter_voices()[0].name
    return next(iter(open_checkpoint(options.model, options.weights).voices))


def _crossed(words: str) -> tuple[tuple[str, Regime], ...]:
    return tuple(_pair(word) for word in words.split(",") if word)


def _pair(word: str) -> tuple[str, Regime]:
    stage, equals, regime = word.partition("=")
    if not equals or stage not in STAGE_NAMES:
        raise InvalidRequest(
            f"“{word}” does not cross a stage.",
            f"Write STAGE=REGIME, such as decoder=dynamic; stages: {', '.join(STAGE_NAMES)}.",
        )
    return stage, regime_named(regime)
