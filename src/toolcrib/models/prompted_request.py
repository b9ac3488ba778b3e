"""A request with tools → a request for text: the catalogue, the form of replies, and the past in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolcrib.chat import ChatRequest, NamedTool
from toolcrib.messages import (
    AssistantMessage,
    Message,
    Part,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from toolcrib.tools.definition import ToolDefinition

__all__ = ["Example", "prompted_request"]

_NO_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}
_DATA_KEYS = frozenset({"const", "default", "enum", "example", "examples"})


@dataclass(frozen=True, slots=True)
class Example:
    """A question, the call that it takes (if any) with its result, and the answer."""

    question: str
    answer: str
    tool: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: str = ""
    failed: bool = False
    """Whether the result is an error that the tool told."""


def prompted_request(
    request: ChatRequest,
    examples: Sequence[Example],
    *,
    constrain: bool,
    longest_answer: int | None,
) -> ChatRequest:
    """The same request without tools, for a model that only reads and writes text."""
    tools = _callable(request)
    may_answer = not tools or request.tool_choice in ("auto", "none")
    schema = None
    if constrain:
        branches = _call_branches(tools)
        if may_answer:
            branches["$answer"] = _answer_branch(request.response_schema, longest_answer)
        schema = _one_of(branches)
    shown = (*_example_messages(examples), *request.messages) if tools else request.messages
    return replace(
        request,
        messages=tuple(_in_words(shown)),
        instructions=_instructions(request, tools, may_answer=may_answer),
        tools=(),
        tool_choice="auto",
        response_schema=schema,
    )


def _callable(request: ChatRequest) -> tuple[ToolDefinition, ...]:
    match request.tool_choice:
        case "none":
            return ()
        case NamedTool(name):
            return tuple(tool for tool in request.tools if tool.name == name)
        case _:
            return request.tools


def _instructions(
    request: ChatRequest, tools: Sequence[ToolDefinition], *, may_answer: bool
) -> str:
    lines = [request.instructions] if request.instructions else []
    if tools:
        lines.append("You can use tools. Reply with JSON only.")
        lines += [_described(tool) for tool in tools]
        lines.append('To call a tool: {"tool": NAME, "arguments": {...}}.')
    else:
        lines.append("Reply with JSON only.")
    if may_answer:
        lines.append('To answer: {"answer": TEXT}.')
    return "\n".join(lines)


def _described(tool: ToolDefinition) -> str:
    description = " ".join((tool.description or "").split())
    said = f"{description.rstrip('.')}. " if description else ""
    schema = tool.input_schema or _NO_ARGUMENTS
    properties = schema.get("properties", {})
    if "$defs" in schema or "definitions" in schema or not isinstance(properties, Mapping):
        return f"- {tool.name}: {said}arguments: {_json(schema)}"
    required = schema.get("required", ())
    optional = [name for name in properties if name not in required]
    may = f" (optional: {', '.join(optional)})" if optional else ""
    return f"- {tool.name}: {said}arguments: {_json(properties)}{may}"


def _call_branches(tools: Sequence[ToolDefinition]) -> dict[str, dict[str, Any]]:
    return {
        tool.name: {
            "type": "object",
            "properties": {
                "tool": {"const": tool.name},
                "arguments": tool.input_schema or {**_NO_ARGUMENTS, "additionalProperties": False},
            },
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    }


def _answer_branch(schema: Mapping[str, Any] | None, longest: int | None) -> dict[str, Any]:
    answer: dict[str, Any] = {"type": "string"} if schema is None else dict(schema)
    if schema is None and longest is not None:
        answer["maxLength"] = longest
    return {
        "type": "object",
        "properties": {"answer": answer},
        "required": ["answer"],
        "additionalProperties": False,
    }


def _one_of(branches: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Any of the branches. The root of a schema that refers to parts of itself moves to `$defs`."""
    definitions: dict[str, Any] = {}
    for number, branch in enumerate(branches.values()):
        for key in ("arguments", "answer"):
            schema = branch["properties"].get(key)
            if schema is not None and '"$ref"' in _json(schema):
                home = f"#/$defs/schema{number}"
                definitions[f"schema{number}"] = _moved(schema, home)
                branch["properties"][key] = {"$ref": home}
    anyof = list(branches.values())
    whole = dict(anyof[0]) if len(anyof) == 1 else {"anyOf": anyof}
    return {**whole, "$defs": definitions} if definitions else whole


def _moved(schema: Any, home: str) -> Any:
    match schema:
        case Mapping():
            moved = {
                key: value if key in _DATA_KEYS else _moved(value, home)
                for key, value in schema.items()
            }
            target = schema.get("$ref")
            if isinstance(target, str) and target.startswith("#"):
                moved["$ref"] = home + target[1:]
            return moved
        case list() | tuple():
            return [_moved(item, home) for item in schema]
        case _:
            return schema


def _example_messages(examples: Sequence[Example]) -> Iterator[Message]:
    for example in examples:
        yield UserMessage(example.question)
        if example.tool is not None:
            yield AssistantMessage(
                tool_calls=(ToolCall("", example.tool, _json(example.arguments)),)
            )
            yield ToolResult("", example.tool, (Text(example.result),), example.failed)
        yield AssistantMessage(example.answer)


def _in_words(messages: Sequence[Message]) -> Iterator[Message]:
    """Calls as the JSON that they are asked for with, results as turns of the user."""
    results: list[Part] = []
    for message in messages:
        if isinstance(message, ToolResult):
            results += _told(message)
            continue
        if results:
            yield _as_user(results)
            results = []
        match message:
            case AssistantMessage():
                yield _spoken(message)
            case UserMessage() | SystemMessage():
                yield message
    if results:
        yield _as_user(results)


def _told(result: ToolResult) -> list[Part]:
    verb = "failed" if result.is_error else "returned"
    others = [part for part in result.content if not isinstance(part, Text)]
    return [Text(f"Tool {result.name} {verb}: {result.text}"), *others]


def _as_user(parts: Sequence[Part]) -> UserMessage:
    if all(isinstance(part, Text) for part in parts):
        return UserMessage("\n".join(part.text for part in parts if isinstance(part, Text)))
    return UserMessage(tuple(parts))


def _spoken(message: AssistantMessage) -> AssistantMessage:
    calls = [
        f'{{"tool": {_json(call.name)}, "arguments": {_arguments(call.arguments)}}}'
        for call in message.tool_calls
        if not call.server_side
    ]
    if not calls:
        said = _json({"answer": message.text or message.refusal or ""})
        return AssistantMessage(said)
    asked = calls[0] if len(calls) == 1 else f"[{', '.join(calls)}]"
    return AssistantMessage(f"{message.text}\n{asked}" if message.text else asked)


def _arguments(text: str) -> str:
    """As the model wrote them, if that is JSON; the model is not shown how to write what is none."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return "{}"
    return text


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
