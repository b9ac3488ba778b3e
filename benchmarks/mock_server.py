"""A fast scripted server of OpenAI Chat Completions on loopback, in a process of its own.

It keeps no state: what to answer follows from the model's name (see `script.py`) and from the number
of results in the request. The body is searched, not parsed, so that the server's own cost stays
small while a conversation grows. Prints its port, and stops when its standard input closes.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import Any

from benchmarks.script import ScriptedCall, answer, script

_MODEL = re.compile(rb'"model"\s*:\s*"([^"]*)"')
_STREAM = re.compile(rb'"stream"\s*:\s*true')
_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)


def main() -> None:
    asyncio.run(_serve())


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()
    server.close()


class _Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._received = bytearray()
        self._head = self._whole = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        received = self._received
        received += data
        if not self._whole:
            end = received.find(b"\r\n\r\n")
            if end < 0:
                return
            length = _LENGTH.search(received, 0, end + 2)
            self._head = end + 4
            self._whole = self._head + (int(length[1]) if length else 0)
        if len(received) < self._whole:
            return
        body = bytes(received[self._head : self._whole])
        del received[: self._whole]
        self._whole = 0
        self._transport.write(_reply(body))


def _reply(body: bytes) -> bytes:
    found = _first(_MODEL, b'"model"', body)
    model = found[1].decode() if found else "text-1"
    problem = _problem(body) if script(model).checked else None
    if problem is not None:
        return _response("400 Bad Request", _dumps({"error": {"message": problem}}))
    calls, text = answer(model, body.count(b'"tool_call_id"'))
    if _first(_STREAM, b'"stream"', body):
        return _stream(model, calls, text)
    return _response("200 OK", _dumps(_completion(model, calls, text)))


def _first(pattern: re.Pattern[bytes], key: bytes, body: bytes) -> re.Match[bytes] | None:
    """`search`, but hopping over the body with `find`, which is much faster."""
    at = body.find(key)
    while at >= 0:
        found = pattern.match(body, at)
        if found:
            return found
        at = body.find(key, at + 1)
    return None


def _problem(body: bytes) -> str | None:
    """What a real server would refuse about the order of calls and results."""
    waiting: list[str] = []
    for message in json.loads(body)["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return f"a result without a call: {message['tool_call_id']}"
            waiting.remove(message["tool_call_id"])
        elif waiting:
            return f"calls without results: {waiting}"
        else:
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
    return f"calls without results: {waiting}" if waiting else None


_USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def _completion(model: str, calls: list[ScriptedCall], text: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    if calls:
        message["tool_calls"] = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id, name, arguments in calls
        ]
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": "tool_calls" if calls else "stop",
    }
    return {**_frame("chat.completion", model), "choices": [choice], "usage": _USAGE}


def _stream(model: str, calls: list[ScriptedCall], text: str | None) -> bytes:
    """A streamed reply, text in pieces of four characters, each event in a chunk of its own."""
    frame = _frame("chat.completion.chunk", model)

    def event(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return _chunk({**frame, "choices": [choice]})

    events = [event({"role": "assistant", "content": None if calls else "", "refusal": None})]
    for index, (id, name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": arguments}
        call = {"index": index, "id": id, "type": "function", "function": function}
        events.append(event({"tool_calls": [call]}))
    events += [event({"content": (text or "")[at : at + 4]}) for at in range(0, len(text or ""), 4)]
    events.append(event({}, "tool_calls" if calls else "stop"))
    events.append(_chunk({**frame, "choices": [], "usage": _USAGE}))
    head = (
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
        "transfer-encoding: chunked\r\n\r\n"
    )
    return b"".join([head.encode(), *events, b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"])


def _chunk(event: dict[str, Any]) -> bytes:
    data = b"data: %s\n\n" % _dumps(event)
    return b"%x\r\n%s\r\n" % (len(data), data)


def _frame(kind: str, model: str) -> dict[str, Any]:
    return {"id": "chatcmpl-mock", "object": kind, "created": 1_760_000_000, "model": model}


def _response(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _dumps(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()


if __name__ == "__main__":
    main()
