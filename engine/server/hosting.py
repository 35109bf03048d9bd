"""The server in a separate process, without a command line; importing this loads no library of the server."""

from __future__ import annotations

import logging
import resource
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from engine.errors import EngineError
from engine.runtime.preparation.devices import AUTO
from engine.server.events import Listening, ServerEvent
from engine.speech import STARTER, Prosody

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8880
MAX_OPEN_FILES = 4096
PACKAGES = ("starlette", "uvicorn")


@dataclass(frozen=True)
class HostOptions:
    """The model to serve, the device and the methods that it uses, and the port on the loopback address."""

    model: str = STARTER
    device: str = AUTO
    lstm_method: str = AUTO
    prosody: Prosody = Prosody.LSTM
    port: int = DEFAULT_PORT


def host(options: HostOptions, tell: Callable[[ServerEvent], None]) -> None:
    """Serve programs on this computer until the process ends; the first request loads the model.

    Raises `EngineError` if packages are missing, the port is in use, or the model is unusable.
    """
    require_packages()
    from engine.runtime.synthesizer import Synthesizer
    from engine.server.serving import SpeechServer
    from engine.server.speaking import SpeechService

    allow_connections()
    engine = Synthesizer(options.model, options.device, lstm_method=options.lstm_method, prosody=options.prosody)
    service = SpeechService(engine, tell=tell)
    server = SpeechServer(service, DEFAULT_HOST, options.port)
    try:
        service.start(load=False)
        server.run(lambda: tell(Listening(server.url)))
    finally:
        server.close()


def require_packages(*, wyoming: bool = False) -> None:
    """Raise `EngineError` unless the packages of the server, and for Home Assistant, are installed."""
    names, groups = (PACKAGES, "server") if not wyoming else ((*PACKAGES, "wyoming"), "server,wyoming")
    if any(find_spec(name) is None for name in names):
        raise EngineError(
            "The packages of the server aren’t installed.",
            f"Install them in the project folder with .venv/bin/python -m pip install '.[{groups}]'.",
        )


def allow_connections() -> None:
    """Raise this process's limit on open files, 256 on a Mac; at the limit, new clients wait, which is not logged."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
