"""Pydantic AI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.usage import UsageLimits

from benchmarks.script import answer, script
from benchmarks.worker import Conversation, Reader, Runner, serve
from benchmarks.workload import INSTRUCTIONS, PROMPT, TOOLS

_ENDLESS = UsageLimits(request_limit=None)


def http(address: str) -> Conversation:
    provider = _provider(address)
    return _conversation(lambda name: OpenAIChatModel(name, provider=provider))


def in_process(_: str) -> Conversation:
    def make(name: str) -> Model:
        def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            # All results of a round are one message here.
            calls, text = answer(name, (len(messages) - 1) // 2 * script(name).width)
            if text is not None:
                return ModelResponse(parts=[TextPart(text)])
            return ModelResponse(
                parts=[ToolCallPart(tool, arguments, id) for id, tool, arguments in calls]
            )

        return FunctionModel(reply)

    return _conversation(make)


def _provider(address: str) -> OpenAIProvider:
    return OpenAIProvider(base_url=f"{address}/v1", api_key="sk-mock")


def _conversation(make: Callable[[str], Model]) -> Conversation:
    @cache
    def agent(name: str, kind: str) -> Agent[None, str]:
        return Agent(make(name), tools=[TOOLS[kind]], instructions=INSTRUCTIONS)

    async def converse(name: str, kind: str) -> str:
        return (await agent(name, kind).run(PROMPT, usage_limits=_ENDLESS)).output

    return converse


def stream(address: str) -> Callable[[str], Awaitable[int]]:
    provider = _provider(address)

    async def characters(name: str) -> int:
        count = 0
        agent = Agent(OpenAIChatModel(name, provider=provider))
        async with agent.run_stream(PROMPT) as run:
            async for text in run.stream_text(delta=True, debounce_by=None):
                count += len(text)
        return count

    return characters


def register(function: Callable[..., Any]) -> Any:
    return Tool(function).tool_def.parameters_json_schema


def reader(function: Callable[..., Any]) -> Reader:
    schema = Tool(function).function_schema

    async def read(text: str) -> Any:
        context: Any = None
        return await schema.call(schema.validator.validate_json(text), context)

    return read


RUNNER = Runner(
    conversations={"http": http, "in process": in_process},
    streams={"agent": stream},
    register=register,
    reader=reader,
)

if __name__ == "__main__":
    serve(RUNNER)
