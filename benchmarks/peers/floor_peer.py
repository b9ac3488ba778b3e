"""Loops written by hand, with nothing in them but the work: what everything else is measured against."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
from pydantic import validate_call

from benchmarks.script import answer
from benchmarks.worker import Conversation, Reader, Runner, serve
from benchmarks.workload import INSTRUCTIONS, PROMPT, TOOLS

Json = dict[str, Any]

SCHEMAS = [
    {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Add two integers.",
            "parameters": {
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "description": "the first number"},
                    "b": {"type": "integer", "description": "the second number"},
                },
                "required": ["a", "b"],
                "additionalProperties": False,
            },
        },
    }
]


def http(address: str) -> Conversation:
    """Over httpx2; the whole body is encoded for each request, as one writes it down first."""
    client = httpx2.AsyncClient(
        headers={"content-type": "application/json", "authorization": "Bearer sk-mock"},
        timeout=60,
    )

    async def ask(model: str, messages: list[Json], results: int) -> Json:
        body = _dumps({"model": model, "messages": messages, "tools": SCHEMAS})
        reply = await client.post(f"{address}/v1/chat/completions", content=body)
        message: Json = json.loads(reply.content)["choices"][0]["message"]
        return message

    return _loop(ask)


def in_process(_: str) -> Conversation:
    """Without HTTP: the bare loop."""

    async def ask(model: str, messages: list[Json], results: int) -> Json:
        calls, text = answer(model, results)
        if not calls:
            return {"content": text}
        return {
            "content": None,
            "tool_calls": [
                {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
                for id, name, arguments in calls
            ],
        }

    return _loop(ask)


def _loop(ask: Callable[[str, list[Json], int], Awaitable[Json]]) -> Conversation:
    async def converse(model: str, tool: str) -> str:
        function, results = TOOLS[tool], 0
        messages: list[Json] = [
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": PROMPT},
        ]
        while True:
            message = await ask(model, messages, results)
            calls = message.get("tool_calls")
            if not calls:
                text: str = message["content"]
                return text
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
            for call, value in zip(calls, await _run(calls, function), strict=True):
                content = str(value)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
                results += 1

    return converse


async def _run(calls: list[Json], function: Callable[..., Any]) -> list[Any]:
    arguments = [json.loads(call["function"]["arguments"]) for call in calls]
    if not inspect.iscoroutinefunction(function):
        return [function(**one) for one in arguments]
    if len(arguments) == 1:
        return [await function(**arguments[0])]
    return await asyncio.gather(*(function(**one) for one in arguments))


def stream(address: str) -> Callable[[str], Awaitable[int]]:
    """Events split and read by hand."""
    client = httpx2.AsyncClient(timeout=60)

    async def characters(model: str) -> int:
        count, rest = 0, b""
        body = {"model": model, "messages": [{"role": "user", "content": PROMPT}], "stream": True}
        url = f"{address}/v1/chat/completions"
        async with client.stream("POST", url, content=_dumps(body)) as reply:
            async for piece in reply.aiter_raw():
                *events, rest = (rest + piece).split(b"\n\n")
                for event in events:
                    if event != b"data: [DONE]":
                        for choice in json.loads(event[6:])["choices"]:
                            count += len(choice["delta"].get("content") or "")
        return count

    return characters


def reader(function: Callable[..., Any]) -> Reader:
    """What pydantic alone takes."""
    checked = validate_call(function)

    async def read(text: str) -> Any:
        return checked(**json.loads(text))

    return read


def _dumps(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()


RUNNER = Runner(
    conversations={"http": http, "in process": in_process},
    streams={"model": stream},
    reader=reader,
)

if __name__ == "__main__":
    serve(RUNNER)
