"""What a validation was computed with."""

from collections.abc import Iterator

import pytest

from engine.model_store.checkpoints import open_checkpoint
from engine.validator.build_identity import MODULE, build_identity, differences
from engine.validator.regimes import Regimes
from engine.validator.results import Regime


@pytest.fixture(scope="module")
def regimes() -> Iterator[Regimes]:
    made = Regimes(open_checkpoint())
    yield made
    made.close()


def test_modules_are_known_once_they_are_loaded(regimes: Regimes) -> None:
    before = build_identity(regimes, "decoder")
    assert before["model"] == "starter"
    assert MODULE not in before
    regimes.open(Regime.COMPILED, 0, lambda event: None)
    after = build_identity(regimes, "decoder")
    assert after[MODULE]
    assert after["modules' compiler source hash"]
    assert build_identity(regimes, "bert")[MODULE] != after[MODULE]
    assert build_identity(regimes, "alignment")[MODULE] == ""


def test_differences_name_both() -> None:
    then, now = {"numpy": "1", "torch": "2", "old": "3"}, {"numpy": "1", "torch": "4", "new": "5"}
    assert differences(now, then) == ("torch 4, then 2", "old missing, then 3", "new 5, then missing")
    assert differences(now, now) == ()
