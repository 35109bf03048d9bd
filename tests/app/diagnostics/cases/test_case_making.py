"""Failing cases made by the command."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.diagnostics.cases.case_making import CaseMaking, MadeCase
from engine.errors import EngineError, OutputError
from engine.speech import SpeechRequest
from engine.validator.cases.case import load_case
from engine.validator.data.results import Regime, ValidationRequest
from tests.patience import PATIENCE_MS
from tests.starter_voices import MALE

REQUEST = ValidationRequest(SpeechRequest("Hello there.", MALE), regimes=(Regime.UPSTREAM, Regime.STATIC_NO_PACK))
ECHO = """
import json, sys
options = dict(word.removeprefix('--').split('=', 1) for word in sys.argv[2:] if '=' in word)
print('Shorter texts, try 1', file=sys.stderr)
open(options['save-case'], 'w').write('a case')
words = ' '.join(sys.argv[1:])
case = {'file': options['save-case'], 'words': words, 'stage': options['case-stage'], 'phonemes': 'h'}
print(json.dumps({'case': case}))
sys.exit(1)
"""


class Maker:
    def __init__(self, qtbot: QtBot, *program: str) -> None:
        self.qtbot = qtbot
        self.making = CaseMaking((sys.executable, *program))
        self.made: list[MadeCase] = []
        self.failures: list[EngineError] = []
        self.progress: list[str] = []
        self.making.made.connect(self.made.append)
        self.making.failed.connect(self.failures.append)
        self.making.progressed.connect(self.progress.append)

    def make(self, regime: str = Regime.STATIC_NO_PACK, reduced: bool = True) -> None:
        self.making.make(REQUEST, regime, "text_encoder", reduced)
        self.qtbot.waitUntil(lambda: bool(self.made or self.failures))


@pytest.fixture
def maker_of(qtbot: QtBot) -> Iterator[Callable[..., Maker]]:
    """A maker whose command is this program, with these arguments of Python."""
    makers: list[Maker] = []

    def make(*program: str) -> Maker:
        makers.append(Maker(qtbot, *program))
        return makers[-1]

    yield make
    for maker in makers:
        maker.making.shut_down(PATIENCE_MS)


@pytest.fixture
def maker(maker_of: Callable[..., Maker]) -> Maker:
    return maker_of("-c", ECHO)


def test_the_command_names_only_what_fails(maker: Maker) -> None:
    maker.make()
    assert maker.progress == ["Shorter texts, try 1"]
    (case,) = maker.made
    assert "--regimes=static-no-pack" in case.words
    assert "--case-stage=text_encoder" in case.words
    assert "--reduce" in case.words
    assert (case.stage, case.phonemes) == ("text_encoder", "h")


def test_a_case_as_it_is_is_not_reduced(maker: Maker) -> None:
    maker.make(reduced=False)
    assert "--reduce" not in maker.made[0].words


def test_a_case_is_saved_where_the_user_wants_it(maker: Maker, tmp_path: Path) -> None:
    maker.make()
    maker.making.save(maker.made[0], tmp_path / "mine.safetensors")
    assert (tmp_path / "mine.safetensors").read_text() == "a case"
    with pytest.raises(OutputError, match="does not exist"):
        maker.making.save(maker.made[0], tmp_path / "nowhere" / "mine.safetensors")
    maker.making.shut_down(PATIENCE_MS)
    assert not maker.made[0].path.exists()


def test_what_does_not_fail_has_no_case(maker_of: Callable[..., Maker]) -> None:
    maker = maker_of("-c", f"print({json.dumps(json.dumps({'passed': True}))})")
    maker.make()
    assert "no longer fails" in str(maker.failures[0])


def test_a_command_that_fails_says_why(maker_of: Callable[..., Maker]) -> None:
    maker = maker_of("-c", "import sys; sys.exit('error: There is no voice.')")
    maker.make()
    assert str(maker.failures[0]) == "Couldn’t create the case. error: There is no voice."


def test_a_stopped_one_tells_nothing(maker_of: Callable[..., Maker]) -> None:
    maker = maker_of("-c", "import time; time.sleep(600)")
    maker.making.make(REQUEST, Regime.STATIC_NO_PACK, "bert", True)
    assert maker.making.active
    maker.making.stop()
    assert not maker.making.active
    assert (maker.made, maker.failures) == ([], [])


def test_the_real_command_makes_a_case_that_can_be_loaded(maker_of: Callable[..., Maker]) -> None:
    maker = maker_of("-m", "engine")
    maker.make()
    assert maker.failures == []
    facts = load_case(maker.made[0].path).facts
    assert facts.row.stage == "text_encoder"
    assert replace(facts.request, regimes=()) == replace(REQUEST, regimes=())
