"""A local model behind an OpenAI-compatible server, in a process of its own on a free loopback port."""

from __future__ import annotations

import http.client
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

__all__ = ["ServerFailed", "local_server"]

_READY_WITHIN = 120.0
_STOP_WITHIN = 3.0


class ServerFailed(Exception):
    """The local server did not start; the text holds the end of its log."""


@contextmanager
def local_server(model: Path, log: Path) -> Iterator[str]:
    """Serve `model` while the block runs; gives the base URL. What the server says goes to `log`.

    Raises `ServerFailed`.
    """
    command = [sys.executable, "-P", __file__, str(model)]
    with log.open("w", encoding="utf-8") as sink:
        # Its own session: Ctrl-C reaches only us, and we end the server after our last request.
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sink,
            text=True,
            start_new_session=True,
        )
        try:
            yield _wait_until_ready(process, log)
        finally:
            _stop(process)


def _wait_until_ready(process: subprocess.Popen[str], log: Path) -> str:
    assert process.stdout is not None
    deadline = time.monotonic() + _READY_WITHIN
    if select.select([process.stdout], [], [], _READY_WITHIN)[0]:
        address = process.stdout.readline().strip()  # empty if it died
        while address and process.poll() is None and time.monotonic() < deadline:
            if _healthy(address.removeprefix("http://")):
                return f"{address}/v1"
            time.sleep(0.1)
    end = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-8:])
    raise ServerFailed(f"The local model server did not start. The end of {log}:\n{end}")


def _healthy(host: str) -> bool:
    # Asked without urllib, which would send even this through a proxy of the environment.
    connection = http.client.HTTPConnection(host, timeout=2)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _stop(process: subprocess.Popen[str]) -> None:
    # Closing its standard input is how it is told; it also closes when we are killed.
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(_STOP_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def _serve(model: str) -> None:
    xllamacpp = import_module("xllamacpp")  # no dependency: `make demo` installs it
    options = xllamacpp.CommonParams()
    options.model.path = model
    options.hostnames = ["127.0.0.1"]
    options.port = 0
    options.n_ctx = 4096
    options.n_parallel = 1
    options.use_jinja = True
    # More threads spin while they wait for each other, and crawl on a busy machine.
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 1
    options.sampling.temp = 0.0
    options.sampling.seed = 1
    server = xllamacpp.Server(options)
    print(server.listening_address, flush=True)
    sys.stdin.read()  # until whoever started us closes it, or is gone


if __name__ == "__main__":
    _serve(sys.argv[1])
