"""Sees every call of a kernel while a stage runs: its arguments, its result, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from engine.errors import EngineError
from engine.speech import Array

_GO_ON = 0
"""What TVM's virtual machine takes as: call the function."""


@dataclass(frozen=True)
class SeenCall:
    """A call that is done: the kernel's name, and its arguments, the result among them.

    Tensors are arrays, on the processor the very memory of the call, which is only valid until the next one.
    """

    kernel: str
    arguments: tuple[Array | int | float, ...]
    seconds: float


class Instrument:
    """What a virtual machine calls before and after every function; `observe` gets the calls of `kernels`.

    TVM loses the type of an error that passes through it: an `EngineError` of `observe` is kept in `failure`, and the
    run goes on unobserved.
    """

    def __init__(
        self,
        kernels: Collection[str],
        observe: Callable[[SeenCall], None],
        array: Callable[[Any], Array],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._kernels = frozenset(kernels)
        self._observe = observe
        self._array = array
        self._clock = clock
        self._began = 0.0
        self.failure: EngineError | None = None

    def __call__(self, function: Any, name: str, before: bool, returned: Any, *arguments: Any) -> int:
        """Note a call's beginning, or pass it on at its end."""
        ended = self._clock()
        if not before and self.failure is None and name in self._kernels:
            given = tuple(self._array(one) if hasattr(one, "shape") else one for one in arguments)
            self._pass_on(SeenCall(name, given, ended - self._began))
        self._began = self._clock()
        return _GO_ON

    def _pass_on(self, seen: SeenCall) -> None:
        try:
            self._observe(seen)
        except EngineError as error:
            self.failure = error
