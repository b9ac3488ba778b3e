"""Definitions → Chat Completions tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcrib.schema.names import WireNames
from toolcrib.tools.definition import ToolDefinition

__all__ = ["encode_tools"]


def encode_tools(
    tools: Sequence[ToolDefinition], names: WireNames, strict: bool | None
) -> list[dict[str, Any]]:
    """The definitions in order."""
    return [_tool(tool, names, strict) for tool in tools]


def _tool(tool: ToolDefinition, names: WireNames, strict: bool | None) -> dict[str, Any]:
    function: dict[str, Any] = {"name": names.to_wire(tool.name)}
    if tool.description:
        function["description"] = tool.description
    function["parameters"] = tool.input_schema or {"type": "object", "properties": {}}
    return {"type": "function", "function": function}
