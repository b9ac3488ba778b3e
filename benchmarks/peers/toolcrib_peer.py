"""toolcrib itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import cache
from typing import Any

from benchmarks.script import answer, results_among
from benchmarks.worker import Conversation, Reader, Runner, serve
from benchmarks.workload import INSTRUCTIONS, PROMPT, TOOLS
from toolcrib import Agent, AssistantMessage, FunctionTool, Limits, ToolCall, UserMessage, tool
from toolcrib.chat import ChatModel, ChatReply, ChatRequest, Delta, TextDelta
from toolcrib.models.openai_chat import OpenAIChat

_TOOLS: dict[str, FunctionTool[..., Any]] = {
    **{kind: tool(function) for kind, function in TOOLS.items()},
    "inline": tool(TOOLS["sync"], thread="caller"),
}


class InProcess:
    """A model without HTTP."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def reply(self, request: ChatRequest) -> AsyncGenerator[Delta | ChatReply, None]:
        calls, text = answer(self.name, results_among(self.name, len(request.messages)))
        made = tuple(ToolCall(id, name, arguments) for id, name, arguments in calls)
        yield ChatReply(AssistantMessage(text or "", made))

    async def close(self) -> None:
        """There is nothing to close."""


def http(address: str) -> Conversation:
    return _conversation(lambda name: _model(name, address))


def in_process(_: str) -> Conversation:
    return _conversation(InProcess)


def _model(name: str, address: str) -> OpenAIChat:
    return OpenAIChat(name, base_url=f"{address}/v1", api_key="sk-mock")


def _conversation(make: Callable[[str], ChatModel]) -> Conversation:
    model = cache(make)

    @cache
    def agent(name: str, kind: str) -> Agent:
        return Agent(
            model(name),
            instructions=INSTRUCTIONS,
            tools=[_TOOLS[kind]],
            limits=Limits(model_calls=None, repeat=None),
            concurrency=64,
        )

    async def converse(name: str, kind: str) -> str:
        return (await agent(name, kind).run(PROMPT)).content or ""

    return converse


def stream_of_model(address: str) -> Callable[[str], Awaitable[int]]:
    model = cache(_model)

    async def characters(name: str) -> int:
        count = 0
        request = ChatRequest((UserMessage(PROMPT),), stream=True)
        async with aclosing(model(name, address).reply(request)) as items:
            async for item in items:
                if isinstance(item, TextDelta):
                    count += len(item.text)
        return count

    return characters


def stream_of_agent(address: str) -> Callable[[str], Awaitable[int]]:
    @cache
    def agent(name: str) -> Agent:
        return Agent(_model(name, address))

    async def characters(name: str) -> int:
        count = 0
        async with agent(name).stream(PROMPT) as run:
            async for event in run:
                if isinstance(event, TextDelta):
                    count += len(event.text)
        return count

    return characters


def register(function: Callable[..., Any]) -> Any:
    return tool(function).definition.input_schema


def reader(function: Callable[..., Any]) -> Reader:
    made = tool(function)

    async def read(text: str) -> Any:
        return made.call(made.read(text).values, None)

    return read


RUNNER = Runner(
    conversations={"http": http, "in process": in_process},
    streams={"model": stream_of_model, "agent": stream_of_agent},
    register=register,
    reader=reader,
)

if __name__ == "__main__":
    serve(RUNNER)
