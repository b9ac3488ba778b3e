"""`toolcrib tools call`: runs one call as a model would make it."""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from typing import Annotated, Any

from cyclopts import Parameter
from pydantic_core import to_jsonable_python

from toolcrib.cli.console import Screen
from toolcrib.cli.target import find, tools_in
from toolcrib.cli.tools_show import chosen
from toolcrib.message_json import message_to_dict
from toolcrib.messages import Part, Text, ToolCall
from toolcrib.toolbox import Toolbox
from toolcrib.tools.execution import ToolExecution

__all__ = ["call_tool", "part_words"]


def call_tool(
    target: Annotated[str, Parameter(help="MODULE:THING.")],
    name: Annotated[str, Parameter(help="The tool to call.")],
    arguments: Annotated[
        str,
        Parameter(
            help="Argument text as a model writes it, {} by default; '-' reads it from stdin.",
            allow_leading_hyphen=True,
        ),
    ] = "{}",
    /,
    *,
    deps: Annotated[
        str | None, Parameter(help="MODULE:THING that fills the tool's injected parameters.")
    ] = None,
    json: Annotated[bool, Parameter(help="Print the whole execution as JSON.")] = False,
) -> int:
    """Call a tool through the same checks and repairs as a model's call.

    What the model would be told goes to stdout; what was repaired, and an error, go to stderr. Exit
    code 1 when the model would be told of an error.

    Examples:
      toolcrib tools call shop:TOOLS get_price '{"item": "tea", "count": "2"}'
      echo '{"item": "tea"}' | toolcrib tools call shop:agent get_price - --json
    """
    screen = Screen()
    text = sys.stdin.read() if arguments == "-" else arguments
    toolbox = Toolbox(tools_in(find(target)), deps=None if deps is None else find(deps))
    execution = asyncio.run(_executed(toolbox, ToolCall("call_1", name, text), target))
    if json:
        screen.json(_as_json(execution))
    else:
        _print(screen, execution)
    return int(execution.is_error)


async def _executed(toolbox: Toolbox, call: ToolCall, target: str) -> ToolExecution:
    await toolbox.refresh()
    chosen(toolbox.tools.available, call.name, target)
    (execution,) = await toolbox.execute([call])
    return execution


def _print(screen: Screen, execution: ToolExecution) -> None:
    for repair in execution.repairs:
        screen.note(f"repaired: {repair.path + ': ' if repair.path else ''}{repair.note}", "yellow")
    parts = () if execution.result is None else execution.result.content
    for part in parts:
        if execution.is_error:
            screen.note(part_words(part), "red")
        else:
            screen.say(part_words(part))


def part_words(part: Part) -> str:
    """A part of a result in words."""
    if isinstance(part, Text):
        return part.text
    where = getattr(part, "url", None) or f"{len(part.data or b'')} bytes"
    return f"[{part.kind} {part.media_type}, {where}]"


def _as_json(execution: ToolExecution) -> dict[str, Any]:
    result = execution.result
    return {
        "tool": execution.name,
        "arguments": _plain(execution.arguments),
        "value": _plain(execution.value),
        "state": execution.state,
        "fault": execution.fault,
        "is_error": execution.is_error,
        "repairs": [dataclasses.asdict(repair) for repair in execution.repairs],
        "result": None if result is None else message_to_dict(result),
        "seconds": execution.duration,
    }


def _plain(value: Any) -> Any:
    """A value of Python as JSON data; what JSON cannot say stands there as Python shows it."""
    try:
        return to_jsonable_python(value, bytes_mode="base64", inf_nan_mode="strings", fallback=repr)
    except Exception:  # it holds itself, or fails to be read; the call itself went as it went
        return f"<{type(value).__name__} that cannot be written as JSON>"
