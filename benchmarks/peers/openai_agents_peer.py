"""The OpenAI Agents SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from agents import (
    Agent,
    Model,
    ModelResponse,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    Usage,
    function_tool,
)
from agents.tool_context import ToolContext
from openai import AsyncOpenAI
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

from benchmarks import worker
from benchmarks.script import answer
from benchmarks.workload import INSTRUCTIONS, PROMPT, TOOLS

_PLAIN = RunConfig(tracing_disabled=True)
_ENDLESS = 1_000_000


class InProcess(Model):
    """A model without HTTP."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def get_response(
        self, system_instructions: Any, input: Any, *rest: Any, **more: Any
    ) -> ModelResponse:
        items = 1 if isinstance(input, str) else len(input)
        # Each call is an item of its own here.
        calls, text = answer(self.name, (items - 1) // 2)
        output: list[Any] = [
            ResponseFunctionToolCall(
                type="function_call", id=f"fc_{id}", call_id=id, name=name, arguments=arguments
            )
            for id, name, arguments in calls
        ]
        if text is not None:
            said = ResponseOutputText(type="output_text", text=text, annotations=[])
            output.append(
                ResponseOutputMessage(
                    id="m", role="assistant", status="completed", type="message", content=[said]
                )
            )
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *rest: Any, **more: Any) -> Any:
        raise NotImplementedError


def http(address: str) -> worker.Conversation:
    client = _client(address)
    return _conversation(lambda name: OpenAIChatCompletionsModel(name, client))


def in_process(_: str) -> worker.Conversation:
    return _conversation(InProcess)


def _client(address: str) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=f"{address}/v1", api_key="sk-mock")


def _conversation(make: Callable[[str], Model]) -> worker.Conversation:
    @cache
    def agent(name: str, kind: str) -> Agent[Any]:
        tools: list[Any] = [function_tool(TOOLS[kind])]
        return Agent("calculator", instructions=INSTRUCTIONS, tools=tools, model=make(name))

    async def converse(name: str, kind: str) -> str:
        run = await Runner.run(agent(name, kind), PROMPT, max_turns=_ENDLESS, run_config=_PLAIN)
        return str(run.final_output)

    return converse


def stream(address: str) -> Callable[[str], Awaitable[int]]:
    client = _client(address)

    async def characters(name: str) -> int:
        count = 0
        agent = Agent[Any]("writer", model=OpenAIChatCompletionsModel(name, client))
        run = Runner.run_streamed(agent, PROMPT, run_config=_PLAIN)
        async for event in run.stream_events():
            if event.type == "raw_response_event" and isinstance(
                event.data, ResponseTextDeltaEvent
            ):
                count += len(event.data.delta)
        return count

    return characters


def register(function: Callable[..., Any]) -> Any:
    return function_tool(function, strict_mode=False).params_json_schema


def reader(function: Callable[..., Any]) -> worker.Reader:
    tool = function_tool(function, strict_mode=False)

    async def read(text: str) -> Any:
        context = ToolContext(
            context=None, tool_name=tool.name, tool_call_id="x", tool_arguments=text
        )
        return await tool.on_invoke_tool(context, text)

    return read


RUNNER = worker.Runner(
    conversations={"http": http, "in process": in_process},
    streams={"agent": stream},
    register=register,
    reader=reader,
)

if __name__ == "__main__":
    worker.serve(RUNNER)
