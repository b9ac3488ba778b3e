"""Recorded answers mean the same after a real connection, in whatever pieces they travel."""

import json
from typing import Any

import pytest

from tests import cases
from tests.servers import Answer, serve
from toolcrib import ModelError, UserMessage
from toolcrib.chat import ChatReply, ChatRequest, TextDelta
from toolcrib.dialects.openai_chat import DIALECT
from toolcrib.models import OpenAIChat
from toolcrib.schema.names import WireNames

CASES = [
    case
    for path in cases.files("provider-traffic/*.json")
    if (case := json.loads(path.read_text(encoding="utf-8")))["api"] == "openai-chat"
]


def in_pieces(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def over_the_wire(case: dict[str, Any], size: int, ending: str) -> Answer:
    if "sse" in case:
        data = ("\ufeff: hello\n\n" + case["sse"]).replace("\n", ending).encode()
        return Answer(in_pieces(data, size), headers={"content-type": "text/event-stream"})
    data = json.dumps(case["response"]).encode()
    status = case.get("status") or 200
    return Answer(in_pieces(data, size), status, {"content-type": "application/json"})


def directly(case: dict[str, Any]) -> ChatReply | str:
    """What the dialect says of it, without any wire."""
    status, names = case.get("status") or 200, WireNames()
    try:
        if status >= 400:
            return str(DIALECT.error(status, {}, json.dumps(case["response"]).encode()))
        if "sse" not in case:
            return DIALECT.decode(case["response"], names)
        stream = DIALECT.stream(names)
        for line in case["sse"].splitlines():
            if line.startswith("data:") and line[5:].strip() != "[DONE]":
                stream.feed(json.loads(line[5:]))
        return stream.finish()
    except ModelError as error:
        return str(error)


@pytest.mark.parametrize(("size", "ending"), [(97, "\n"), (4096, "\r\n"), (1500, "\r")])
@pytest.mark.parametrize("case", cases.params(CASES))
async def test_a_recorded_answer_means_the_same_over_a_wire(
    case: dict[str, Any], size: int, ending: str
) -> None:
    said: list[str] = []
    got: ChatReply | str = ""
    with serve(over_the_wire(case, size, ending)) as server:
        model = OpenAIChat("m", base_url=server.url, retries=0)
        try:
            async for item in model.reply(ChatRequest((UserMessage("hi"),), stream=True)):
                if isinstance(item, ChatReply):
                    got = item
                elif isinstance(item, TextDelta):
                    said.append(item.text)
        except ModelError as error:
            got = str(error)
        await model.close()
    assert got == directly(case)
    if isinstance(got, ChatReply) and "sse" in case:
        assert "".join(said) == got.message.text
