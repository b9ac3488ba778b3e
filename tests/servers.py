"""A real server on a loopback port that answers as a test tells it to, down to the bytes."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.docs_server import chat_server

__all__ = [
    "Answer",
    "Received",
    "Server",
    "bytes_of_events",
    "call",
    "chat_server",
    "chunk",
    "completion",
    "error",
    "events",
    "serve",
]


@dataclass
class Answer:
    """What goes out for one request: the pieces one after another, each sent for itself."""

    pieces: Sequence[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    ends: str = "well"
    """`well`; `cut`: the connection goes before the body ends; `stalls`: nothing more comes, ever."""
    silent: bool = False
    """The connection goes before anything is sent."""
    waits_for: threading.Event | None = None
    """Sent only when this is set; nothing of the body goes out before."""


@dataclass
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int
    """Which connection it came over, from 0."""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Scripted = Answer | Callable[[Received], Answer]


class Server:
    """Answers each request with the next step of its script, in the order of their coming."""

    def __init__(self, script: Sequence[Scripted], forever: Scripted | None) -> None:
        self.requests: list[Received] = []
        self.connections = 0
        self._script = list(script)
        self._forever = forever
        self._lock = threading.Lock()
        self._ended = threading.Condition(self._lock)
        self._closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._start(self._accept)

    def all_closed(self) -> bool:
        """Whether whoever connected has closed all connections, or does so very soon."""
        with self._ended:
            return self._ended.wait_for(lambda: not self._open, timeout=5)

    def close(self) -> None:
        self._closing.set()
        with self._lock:
            for one in self._open:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(timeout=5)

    def _start(self, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with self._listener:
            while not self._closing.is_set():
                try:
                    connection, _ = self._listener.accept()
                except TimeoutError:
                    continue
                except OSError:
                    return
                connection.settimeout(None)
                with self._lock:
                    number, self.connections = self.connections, self.connections + 1
                    self._open.add(connection)
                self._start(self._serve, connection, number)

    def _serve(self, connection: socket.socket, number: int) -> None:
        with connection, suppress(OSError), connection.makefile("rb") as stream:
            while (received := _read(stream, number)) is not None:
                with self._lock:
                    self.requests.append(received)
                    step = self._script.pop(0) if self._script else self._forever
                assert step is not None, "the script has no further answer"
                if not self._send(connection, step(received) if callable(step) else step):
                    break
        with self._ended:
            self._open.discard(connection)
            self._ended.notify_all()

    def _send(self, connection: socket.socket, answer: Answer) -> bool:
        if answer.silent:
            return False
        if answer.waits_for is not None:
            answer.waits_for.wait(10)
        names = {name.lower() for name in answer.headers}
        head = f"HTTP/1.1 {answer.status} Said\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
        chunked = "content-length" not in names
        head += "transfer-encoding: chunked\r\n\r\n" if chunked else "\r\n"
        connection.sendall(head.encode())
        for piece in answer.pieces:
            connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if answer.ends == "stalls":
            connection.recv(1)  # until the other side, or the test, has had enough
        if answer.ends != "well":
            return False
        if chunked:
            connection.sendall(b"0\r\n\r\n")
        return True


@contextmanager
def serve(*script: Scripted, forever: Scripted | None = None) -> Iterator[Server]:
    """Serve while the block runs."""
    server = Server(script, forever)
    try:
        yield server
    finally:
        server.close()


def _read(stream: Any, connection: int) -> Received | None:
    line = stream.readline()
    if not line:
        return None
    method, path, _ = line.decode().split(" ", 2)
    headers: dict[str, str] = {}
    while (line := stream.readline().strip()) != b"":
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", 0)))
    return Received(method, path, headers, body, connection)


def completion(
    text: str | None = None, *calls: dict[str, Any], reason: str | None = None, **more: Any
) -> Answer:
    """A whole reply, as JSON."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = list(calls)
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": reason or ("tool_calls" if calls else "stop"),
    }
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    body = {"id": "r", "object": "chat.completion", "model": "m", "choices": [choice]}
    data = json.dumps({**body, "usage": usage, **more}).encode()
    return Answer([data], headers=_sized("application/json", data))


def call(name: str, arguments: str = "{}", *, id: str = "call_1", **more: Any) -> dict[str, Any]:
    """One call, as it stands in a reply."""
    function = {"name": name, "arguments": arguments}
    return {"id": id, "type": "function", "function": function, **more}


def error(status: int, message: str = "no", **headers: str) -> Answer:
    """A refusal; header names with `_` for `-`."""
    data = json.dumps({"error": {"message": message, "code": "some_code"}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer([data], status, {**_sized("application/json", data), **named})


def chunk(delta: Mapping[str, Any] | None = None, reason: str | None = None) -> dict[str, Any]:
    """One event of a streamed reply."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": reason}
    return {"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def bytes_of_events(*said: Mapping[str, Any], done: bool = True) -> bytes:
    """Events as they travel."""
    data = b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in said)
    return data + b"data: [DONE]\n\n" if done else data


def events(
    *said: Mapping[str, Any], done: bool = True, ends: str = "well", size: int | None = None
) -> Answer:
    """A streamed reply, an event a piece; or in pieces of `size` bytes."""
    if size is None:
        pieces = [bytes_of_events(one, done=False) for one in said]
        if done:
            pieces.append(bytes_of_events())
    else:
        data = bytes_of_events(*said, done=done)
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
    return Answer(pieces, headers={"content-type": "text/event-stream"}, ends=ends)


def _sized(kind: str, data: bytes) -> dict[str, str]:
    return {"content-type": kind, "content-length": str(len(data))}
