"""What a validation was computed with."""

from collections.abc import Iterator

import pytest

from engine.models.checkpoints import open_checkpoint
from engine.validator.data.results import Regime
from engine.validator.runners.regimes import Regimes
from engine.validator.runs.versions import MODULE, build_identity, differences


@pytest.fixture(scope="module")
def regimes() -> Iterator[Regimes]:
    made = Regimes(open_checkpoint())
    yield made
    made.close()


def test_modules_are_known_once_they_are_loaded() -> None:
    regimes = Regimes(open_checkpoint())
    before = build_identity(regimes, "decoder", Regime.COMPILED)
    assert before["model"] == "starter"
    assert MODULE not in before
    regimes.open(Regime.COMPILED, 0, lambda event: None)
    after = build_identity(regimes, "decoder", Regime.COMPILED_PADDED)
    assert after[MODULE]
    assert after["modules' compiler source hash"]
    assert build_identity(regimes, "bert", Regime.COMPILED)[MODULE] != after[MODULE]
    assert build_identity(regimes, "alignment", Regime.COMPILED)[MODULE] == ""
    regimes.close()


def test_modules_say_nothing_about_pytorch(regimes: Regimes) -> None:
    regimes.open(Regime.COMPILED, 0, lambda event: None)
    assert MODULE not in build_identity(regimes, "decoder", Regime.STATIC_NO_PACK)


def test_modules_that_are_gone_are_not_asked_for(regimes: Regimes) -> None:
    regimes.plant("swapped-gates")
    regimes.open(Regime.COMPILED, 0, lambda event: None)
    assert regimes.modules_folder is not None
    regimes.plant("")
    assert regimes.modules_folder is None
    assert MODULE not in build_identity(regimes, "text_encoder", Regime.COMPILED)


def test_differences_name_both() -> None:
    then, now = {"numpy": "1", "torch": "2", "old": "3"}, {"numpy": "1", "torch": "4", "new": "5"}
    assert differences(now, then) == ("torch 4, then 2", "old missing, then 3", "new 5, then missing")
    assert differences(now, now) == ()
