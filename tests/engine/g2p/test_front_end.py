"""Every language has a front end of the declared shape."""

import inspect

import pytest

from engine.g2p.english import EnglishFrontEnd
from engine.g2p.front_end import FrontEnd
from engine.g2p.other_languages.front_end import OtherFrontEnd

METHODS = [name for name, _ in inspect.getmembers(FrontEnd, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("kind", [EnglishFrontEnd, OtherFrontEnd])
@pytest.mark.parametrize("method", METHODS)
def test_front_ends_take_what_is_declared(kind: type, method: str) -> None:
    declared, own = (inspect.signature(getattr(each, method)) for each in (FrontEnd, kind))
    assert own == declared
