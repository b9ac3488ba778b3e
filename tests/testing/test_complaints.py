"""Requests that a provider would refuse are complained about, with the place of the message at fault."""

from __future__ import annotations

import pytest

from toolcrib.chat import ChatRequest
from toolcrib.messages import AssistantMessage, Message, Text, ToolCall, ToolResult, UserMessage
from toolcrib.testing import ScriptedModel, UnpairedRequest
from toolcrib.testing.complaints import check_pairing

ASK = UserMessage("Hi")


def calls(*ids: str, **kwargs: bool) -> AssistantMessage:
    return AssistantMessage("", tuple(ToolCall(id, f"tool_{id}", "{}", **kwargs) for id in ids))


def result(id: str, name: str | None = None) -> ToolResult:
    return ToolResult(id, f"tool_{id}" if name is None else name, (Text("ok"),))


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [ASK, AssistantMessage("Hello")],
        [ASK, calls("a", "b"), result("a"), result("b"), AssistantMessage("Done"), ASK],
        [ASK, calls("a"), result("a"), calls("a"), result("a")],
        [ASK, calls("a", server_side=True), ASK],
        [ASK, AssistantMessage("", (ToolCall("a", "f", '{"broken'),)), result("a", "f")],
    ],
)
def test_what_a_provider_takes_passes(messages: list[Message]) -> None:
    check_pairing(messages)


@pytest.mark.parametrize(
    ("messages", "index", "words"),
    [
        ([ASK, calls("a")], 1, "not answered"),
        ([ASK, calls("a"), ASK, result("a")], 1, "not answered"),
        ([ASK, calls("a", "b"), result("a"), ASK], 1, "'b'"),
        ([ASK, calls("a", "b"), result("b"), result("a")], 2, "out of order"),
        ([ASK, calls("a"), result("a"), result("a")], 3, "no open call"),
        ([result("a")], 0, "no open call"),
        ([ASK, calls("a"), result("x")], 2, "no open call"),
        ([ASK, calls("a"), result("a", "other")], 2, "'tool_a'"),
        ([calls("a", "a"), result("a"), result("a")], 0, "two calls"),
        ([calls(""), result("")], 0, "no id"),
        ([AssistantMessage("", (ToolCall("a", "f", "\ud800"),))], 0, "cannot be sent"),
    ],
)
async def test_what_a_provider_refuses_is_named_with_its_index(
    messages: list[Message], index: int, words: str
) -> None:
    model = ScriptedModel(forever="fine")
    with pytest.raises(UnpairedRequest, match=words) as caught:
        await anext(model.reply(ChatRequest(messages)))
    assert caught.value.index == index
    assert f"messages[{index}]" in str(caught.value)
    with pytest.raises(UnpairedRequest):
        model.check()
