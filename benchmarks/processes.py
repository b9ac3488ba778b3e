"""Starts the server and the runners' processes, and talks to them."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from types import TracebackType
from typing import Any

from benchmarks.environments import ROOT, python_of

__all__ = ["Server", "Worker"]

_QUIET = {
    "NO_PROXY": "127.0.0.1",
    "no_proxy": "127.0.0.1",
    "OPENAI_API_KEY": "sk-mock",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "OTEL_SDK_DISABLED": "true",
}


class _Process:
    """A Python module in a process of its own, that ends when its standard input closes."""

    def __init__(self, python: str, module: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [python, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            cwd=ROOT,
            env={**os.environ, **_QUIET},
        )
        self._name = module

    def read(self, timeout: float) -> str:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], timeout)[0]:
            self._process.kill()
            raise TimeoutError(f"{self._name} gave no answer in {timeout} s")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._name} has ended; what it said is above")
        return line

    def write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Server(_Process):
    """The scripted model server; `address` is where it listens."""

    def __init__(self) -> None:
        super().__init__(sys.executable, "benchmarks.mock_server")
        self.address = f"http://127.0.0.1:{int(self.read(20))}"

    def __enter__(self) -> Server:
        return self


class Worker(_Process):
    """One runner, alive for a whole measurement."""

    def __init__(self, name: str, address: str) -> None:
        super().__init__(python_of(name), f"benchmarks.peers.{name}_peer", address)

    def __enter__(self) -> Worker:
        return self

    def ask(self, do: str, **order: Any) -> dict[str, Any]:
        """Have something done. Raises `RuntimeError` when the runner fails at it."""
        self.write(json.dumps({"do": do, **order}))
        answer = json.loads(self.read(300))
        assert isinstance(answer, dict)
        return answer
