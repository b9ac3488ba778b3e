"""How the tests of this folder call a tool: as the executor does, without a run."""

from typing import Any

from toolcrib.messages import ToolCall
from toolcrib.tools.context import RunContext, RunParameters, ToolContext
from toolcrib.tools.tool import Tool


def run_context(
    deps: Any = None, parameters: RunParameters | None = None, memory_id: Any = "default"
) -> RunContext:
    """A run that has just begun."""
    return RunContext("run", deps=deps, parameters=parameters, memory_id=memory_id)


def tool_context(**options: Any) -> ToolContext:
    """The context of one call."""
    return ToolContext(run_context(**options), ToolCall("1", "it", "{}"), lambda progress: None)


def call(tool: Tool, text: str, context: ToolContext | None = None, **options: Any) -> Any:
    """Argument text → what `Tool.call` gives back."""
    context = context or tool_context(**options)
    return tool.call(tool.read(text).values, context)
