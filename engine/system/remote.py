"""Calls a module-level function in a separate process, which may crash, hang or be killed without affecting this one.

Arguments, results and intermediate messages are values of the types that the function declares, usually dataclasses.
They travel as JSON, so that even a process compromised by a malicious file cannot execute code here. A `Callable`
parameter sends messages to this process; an `Iterator` parameter receives the values that this process sends.

The process is started as `python -m engine.system.remote MODULE:FUNCTION`. It leads a process group, which ends with
it, or when this process ends for any reason.
"""

from __future__ import annotations

import json
import os
import queue
import runpy
import signal
import sys
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType, UnionType
from typing import Any, Self, TypeVar, TypeVarTuple, get_args, get_origin, get_type_hints

from engine.errors import EngineError
from engine.system.child_process import ChildProcess, error_fields, ignore, python_command
from engine.system.memory import collect_garbage_rarely
from engine.system.waiting import raise_if_set

Arguments = TypeVarTuple("Arguments")
Result = TypeVar("Result")
_RESULT, _TOLD = "result", "told"
_NO_MORE = b"{}"
_CHUNK_BYTES = 1 << 16
GRACE_SECONDS = 10.0
"""The time that a function with an `Iterator` may keep running after its input has ended."""


class ProcessEnded(EngineError):
    """The end of a process without a result, with its exit code, negative for a signal, and its last words."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(f"The process for it ended with code {code} ({words}).", "Try again.")
        self.code = code
        self.words = words


class CallTimedOut(EngineError):
    """A process that was ended because it reached its time limit."""


def call(
    function: Callable[[*Arguments], Result],
    *arguments: *Arguments,
    cancel: threading.Event | None = None,
    seconds: float | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
    niceness: int = 0,
    on_error_line: Callable[[str], None] = ignore,
    until_exit: bool = False,
) -> Result:
    """Run a function in a child process, which has ended when this returns or raises, and return its result.

    A `Callable` argument is called here with the function's messages; the values of an `Iterator` argument are sent to
    the function. Raises the `EngineError` that the function raises, `Canceled` soon after `cancel` is set,
    `CallTimedOut` after these `seconds`, or `ProcessEnded`; with `until_exit`, also if the process fails after
    delivering the result. `on_error_line` is called in a separate thread.
    """
    tell: Callable[..., object] = next(filter(callable, arguments), ignore)
    sent = next((argument for argument in arguments if isinstance(argument, Iterator)), None)
    given = [argument for argument in arguments if not callable(argument) and argument is not sent]
    options = {"environment": environment, "niceness": niceness, "on_error_line": on_error_line}
    with Connection(function, *given, **options) as child:  # type: ignore[arg-type]
        if sent is not None:
            for value in sent:
                raise_if_set(cancel)
                child.send(value)
            child.send_no_more()
        reports = child.reports(cancel, seconds, until_exit)
        while True:
            try:
                values = next(reports)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            tell(*values)


def run_module(module: str, arguments: list[str]) -> None:
    """Run a module like Python's -m; exceptions propagate, and a failure ends the process."""
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise


class Connection:
    """A function running in a child process that accepts values; leaving the `with` block ends it.

    `arguments` are those given once, in order. Any thread may send.
    """

    def __init__(
        self,
        function: Callable[..., object],
        *arguments: object,
        environment: Mapping[str, str] = MappingProxyType({}),
        niceness: int = 0,
        on_error_line: Callable[[str], None] = ignore,
    ) -> None:
        self._declared = _Declared.by(function)
        values = [encoded(each, kind) for each, kind in zip(arguments, self._declared.given, strict=True)]
        command = python_command(__name__, f"{function.__module__}:{function.__qualname__}")
        self._process = ChildProcess(command, environment, on_error_line, is_remote=True)
        self._process.send({"arguments": values, "niceness": niceness})
        self.process_id = self._process.number

    def send(self, value: object) -> None:
        """Send the function's `Iterator` its next value; does nothing if the process has ended."""
        self._process.send({"sent": encoded(value, self._declared.sent)})

    def send_no_more(self) -> None:
        """End the function's `Iterator`."""
        self._process.send({})

    def reports(
        self, cancel: threading.Event | None = None, seconds: float | None = None, until_exit: bool = False
    ) -> Generator[tuple[Any, ...], None, Any]:
        """Yield the arguments of each message from the function, and return its result.

        Raises the same errors as `call`.
        """
        ends = time.monotonic() + (seconds or 0)
        results = []

        def check_time() -> None:
            if time.monotonic() > ends:
                raise CallTimedOut(f"It didn’t finish within {seconds:g} seconds.", "Try again.")

        for message in self._process.messages(cancel, None if seconds is None else check_time):
            if _TOLD in message:
                pairs = zip(message[_TOLD], self._declared.reports, strict=True)
                yield tuple(decoded(value, kind) for value, kind in pairs)
            elif _RESULT in message:
                results.append(decoded(message[_RESULT], self._declared.result))
                if not until_exit:
                    return results[0]
        code = self._process.wait()
        if code or not results:
            raise ProcessEnded(code, self._process.end_reason())
        return results[0]

    def finish(self) -> None:
        """Close the input, so that the process ends by itself."""
        self._process.finish()

    def kill(self) -> None:
        """Kill the process immediately."""
        self._process.kill()

    def close(self, seconds: float = 0) -> None:
        """Close the input, and kill the process unless it ends within this time."""
        self._process.close(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class _Declared:
    """The types that a function declares: those of its parameters in order, and of its messages and result."""

    parameters: tuple[Any, ...]
    result: Any

    @classmethod
    @cache
    def by(cls, function: Callable[..., object]) -> _Declared:
        hints = get_type_hints(function)
        result = hints.pop("return", None)
        return cls(tuple(hints.values()), result)

    @property
    def given(self) -> tuple[Any, ...]:
        return tuple(kind for kind in self.parameters if get_origin(kind) not in (Callable, Iterator))

    @property
    def reports(self) -> tuple[Any, ...]:
        return next((tuple(get_args(kind)[0]) for kind in self.parameters if get_origin(kind) is Callable), ())

    @property
    def sent(self) -> Any:
        return next((get_args(kind)[0] for kind in self.parameters if get_origin(kind) is Iterator), None)


def encoded(value: object, kind: Any) -> Any:
    """Convert a value of this type to values for JSON."""
    return _converter(kind).unstructure(value, kind)


def decoded(value: Any, kind: Any) -> Any:
    """Convert the output of `encoded` back to this type. Raises `EngineError` if it is invalid."""
    try:
        return _converter(kind).structure(value, kind)
    except (ValueError, KeyError, TypeError, AttributeError, ExceptionGroup) as error:
        name = getattr(kind, "__name__", kind)
        raise EngineError(f"A process sent something that is no {name}.", "Restart the application.") from error


@cache
def _converter(kind: Any) -> Any:
    """Return a converter for a type; the members of a union of dataclasses are tagged with their names."""
    from cattrs.preconf.json import make_converter
    from cattrs.strategies import configure_tagged_union

    converter = make_converter()
    converter.register_structure_hook(type(None), lambda value, _: value)
    converter.register_unstructure_hook(bytes, lambda content: b64encode(content).decode())  # faster than base 85
    converter.register_structure_hook(bytes, lambda content, _: b64decode(content))
    if get_origin(kind) is UnionType and all(map(is_dataclass, get_args(kind))):
        configure_tagged_union(kind, converter)
    return converter


def main(name: str) -> int:
    """Call the function in the child process with the arguments on standard input; returns the exit code."""
    collect_garbage_rarely()
    write = _message_writer()
    lines = _lines_of_the_parent()
    order = json.loads(next(lines))
    os.nice(order["niceness"])
    module, _, attribute = name.partition(":")
    function = getattr(import_module(module), attribute)
    declared = _Declared.by(function)
    sent: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    grace_seconds = 0.0 if declared.sent is None else GRACE_SECONDS
    threading.Thread(target=_listen, args=(lines, sent, grace_seconds), name="parent", daemon=True).start()

    def tell(*values: object) -> None:
        write({_TOLD: [encoded(value, kind) for value, kind in zip(values, declared.reports, strict=True)]})

    given = iter(order["arguments"])
    arguments: list[object] = []
    for kind in declared.parameters:
        if get_origin(kind) is Callable:
            arguments.append(tell)
        elif get_origin(kind) is Iterator:
            arguments.append(decoded(json.loads(line)["sent"], declared.sent) for line in iter(sent.get, None))
        else:
            arguments.append(decoded(next(given), kind))
    try:
        result = function(*arguments)
    except EngineError as error:
        write(error_fields(error))
        return 1
    write({_RESULT: encoded(result, declared.result)})
    return 0


def _message_writer() -> Callable[[Mapping[str, Any]], None]:
    """Return a function that writes messages to standard output; all other output is redirected to standard error."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    writing = threading.Lock()

    def write(message: Mapping[str, Any]) -> None:
        line = json.dumps(message)
        with writing:
            output.write(f"{line}\n")
            output.flush()

    return write


def _lines_of_the_parent() -> Iterator[bytes]:
    """Yield the lines on standard input, which becomes empty for all other readers.

    Python's buffer is not used: a waiting thread must not hold it when the program ends.
    """
    descriptor, rest = os.dup(0), b""
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    while chunk := os.read(descriptor, _CHUNK_BYTES):
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines


def _listen(lines: Iterator[bytes], sent: queue.SimpleQueue[bytes | None], grace_seconds: float) -> None:
    """Forward lines; when they end, as they do with the parent, end this process and its group."""
    for line in lines:
        sent.put(None if line == _NO_MORE else line)
    sent.put(None)
    time.sleep(grace_seconds)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
