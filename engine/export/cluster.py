"""Speaks the parts of exports on the workers of a Dask cluster; lost parts are spoken again by other workers.

Dask exchanges pickles, so its scheduler and workers must be trusted. Orders and answers are values for JSON, so that a
worker with a different version of the program can still read the version of this one.
"""

from __future__ import annotations

import hashlib
import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, Self

from engine.compiler.artifacts.manifest import CPU_DEVICE
from engine.errors import EngineError, MissingModel
from engine.export.part_cache import fingerprint_of
from engine.export.side_by_side import SpeakerSettings, SpokenPart, speak_part
from engine.models.installation import ModelCopy, ModelManifest
from engine.models.store import ModelStore
from engine.runtime.projects import self_contained, shielded
from engine.runtime.synthesizer import Synthesizer
from engine.speech import SpeechRequest
from engine.system.child_process import error_fields
from engine.system.imports import stay_offline
from engine.system.paths import project_folder
from engine.system.remote import decoded, encoded

CONNECT_SECONDS = 10
LOOP_ATTEMPTS = 3
"""The number of times that Dask may start its event loop, which it abandons after 10 s."""
ANSWER_SECONDS = 60
"""The limit for reading a finished part: without it, a client that is closed meanwhile would block all later ones."""
_PACKAGES = ("dask", "distributed")
_speaking = threading.Lock()
"""Held while a worker speaks: a synthesizer serves one thread at a time, and a worker may have several."""


@dataclass(frozen=True)
class PartOrder:
    """A self-contained request for a worker, and its `fingerprint_of`, which must be the same there."""

    settings: SpeakerSettings
    request: SpeechRequest
    fingerprint: str


@dataclass(frozen=True)
class WorkerPart:
    """A part that a worker has spoken, and the `identity` of its synthesizer, which determines the rounding."""

    part: SpokenPart
    identity: str


class Cluster:
    """A Dask cluster that speaks parts; leaving the `with` block cancels those that have not been delivered.

    The constructor raises `EngineError` if Dask isn't installed, the scheduler doesn't answer, or it has no workers.
    """

    def __init__(self, address: str, settings: SpeakerSettings, fingerprint: Callable[[str], str]) -> None:
        self._client = _connected(address)
        self._settings = settings
        self._fingerprint = fingerprint
        self._identity = ""
        self._closed = False

    def submit(self, request: SpeechRequest) -> Future[SpokenPart]:
        """Speak a request on the next free worker, with the user's pronunciations and blends.

        A worker that lacks the model or its students is given them. Raises the errors of `self_contained`.
        """
        complete = replace(self_contained(request), start=request.start, end=request.end)
        fingerprint = fingerprint_of(complete, self._fingerprint)
        order = encoded(PartOrder(self._settings, complete, fingerprint), PartOrder)
        spoken: Future[SpokenPart] = Future()
        self._send(order, spoken)
        return spoken

    def _send(self, order: Any, spoken: Future[SpokenPart], model: Any = None) -> None:
        answer = self._client.submit(speak_on_worker, program_digest(), order, model, pure=False)
        answer.add_done_callback(partial(self._deliver, order, spoken, model))

    def _deliver(self, order: Any, spoken: Future[SpokenPart], model: Any, answer: Any) -> None:
        if self._closed:  # the result of a closed client never arrives, and all later ones would wait for it
            spoken.cancel()
            return
        try:
            result = answer.result(ANSWER_SECONDS)
            if model is None and result.get("error") == MissingModel.__name__ and self._model is not None:
                self._send(order, spoken, self._model)
            else:
                spoken.set_result(self._part(result))
        except EngineError as error:
            spoken.set_exception(error)
        except BaseException as error:  # noqa: BLE001 - errors of Dask and of workers, which may be of any type
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            failure = EngineError(
                f"The cluster couldn’t speak a part of the text ({reason.rstrip('.: ')}).",
                "Check that its workers have Kokoro Desk and enough memory, then run the same command to resume.",
            )
            spoken.set_exception(failure)

    @cached_property
    def _model(self) -> Any:
        """A task whose result is the model, which Dask brings to the workers that it is sent to; None without a model.

        It is a task and not data, so that Dask has it again when the worker with the result is lost.
        """
        copy = None if self._settings.weights else ModelStore().copied(self._settings.model)
        if copy is None:
            return None
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            manifest = encoded(copy.manifest, ModelManifest)
            return self._client.submit(list, (manifest, copy.students, *copy.contents), pure=False)

    def _part(self, answer: dict[str, Any]) -> SpokenPart:
        """Return the part in an answer. Raises `EngineError` if there is none, or if its rounding would differ."""
        worker = answer["worker"]
        if "error" in answer:
            raise EngineError(f"The worker {worker} can’t be used. {answer['message']}", answer["hint"])
        result: WorkerPart = decoded(answer["result"], WorkerPart)
        self._identity = self._identity or result.identity
        if result.identity != self._identity:
            raise EngineError(
                f"The worker {worker} uses different compiled modules, so its speech would differ slightly.",
                "Use workers with the same kind of CPU.",
            )
        return result.part

    def close(self) -> None:
        """Cancel all parts that have not been delivered."""
        self._closed = True
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise EngineError(
            "The packages for clusters aren’t installed.",
            "Install them in the project folder with .venv/bin/python -m pip install '.[cluster]'.",
        ) from error
    try:
        client = with_event_loop(lambda: Client(address, timeout=CONNECT_SECONDS, set_as_default=False))
    except (OSError, ValueError) as error:
        raise EngineError(
            f"No Dask scheduler answers at “{address}”.", "Check the address, such as tcp://192.168.1.2:8786."
        ) from error
    if not client.scheduler_info()["workers"]:
        client.close()
        raise EngineError(f"The cluster at {address} has no workers.", "Start at least one, then try again.")
    return client


def with_event_loop(start: Callable[[], Any]) -> Any:
    """Return the Dask client or cluster that `start` creates; call it again if its event loop doesn't start in time.

    Raises `EngineError` after `LOOP_ATTEMPTS` attempts.
    """
    for _ in range(LOOP_ATTEMPTS):
        try:
            return start()
        except AssertionError as error:  # Dask's only sign of it
            failure = error
    raise EngineError("This computer is too busy to connect to the cluster.", "Try again.") from failure


def speak_on_worker(program: str, order: Any, model: Sequence[Any] | None = None) -> dict[str, Any]:
    """Speak a `PartOrder` in a worker of the same program; return a `WorkerPart` or an error, as values for JSON.

    `model` is a `ModelManifest`, its students and the contents of its files; a worker installs what it lacks.
    """
    from distributed import get_worker

    worker = {"worker": get_worker().address}
    if program != program_digest():
        error = EngineError("It has a different version of Kokoro Desk.", "Install the same version there.")
        return {**worker, **error_fields(error)}
    try:
        part: PartOrder = decoded(order, PartOrder)
        with _speaking:
            if model is not None:
                manifest, students, *contents = model
                copy = ModelCopy(decoded(manifest, ModelManifest), tuple(contents), students)
                ModelStore().install_copy(part.settings.model, copy)
            return {**worker, "result": encoded(_spoken(part), WorkerPart)}
    except EngineError as error:
        return {**worker, **error_fields(error)}


def _spoken(order: PartOrder) -> WorkerPart:
    request = shielded(order.request)
    synthesizer = _prepared(order.settings)
    if fingerprint_of(request, synthesizer.fingerprint) != order.fingerprint:
        raise EngineError(
            f"Its {order.settings.model} has different weights or voices.", "Install the same model there."
        )
    return WorkerPart(speak_part(synthesizer, request), synthesizer.identity)


@cache
def _prepared(settings: SpeakerSettings) -> Synthesizer:
    stay_offline()
    synthesizer = Synthesizer(settings.model, CPU_DEVICE, settings.weights, threads=1, prosody=settings.prosody)
    synthesizer.prepare()
    return synthesizer


@cache
def program_digest() -> str:
    """Return a digest of the engine's sources, which differs between versions."""
    digest = hashlib.sha256()
    for path in sorted((project_folder() / "engine").rglob("*.py")):
        digest.update(path.relative_to(project_folder()).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
