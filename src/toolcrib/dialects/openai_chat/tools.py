"""Definitions and answer schemas → Chat Completions tools and response format."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from toolcrib.errors import ConfigurationError
from toolcrib.schema.names import WireNames
from toolcrib.schema.project import Projection, for_chat_completions, strict_projection
from toolcrib.tools.definition import ToolDefinition

__all__ = ["encode_tools", "response_format"]

_NO_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}

_log = logging.getLogger("toolcrib.dialects")


def encode_tools(
    tools: Sequence[ToolDefinition], names: WireNames, strict: bool | None
) -> list[dict[str, Any]]:
    """The definitions in order.

    `strict` is a wish: a tool that leaves it open and has no strict form is sent as it is. A tool
    that asks for it itself is not: `ConfigurationError` says what stands in the way.
    """
    return [_tool(tool, names, strict) for tool in tools]


def _tool(tool: ToolDefinition, names: WireNames, strict: bool | None) -> dict[str, Any]:
    function: dict[str, Any] = {"name": names.to_wire(tool.name)}
    if tool.description:
        function["description"] = tool.description
    schema = tool.input_schema or _NO_ARGUMENTS
    wanted = strict if tool.strict is None else tool.strict
    projection = _strict(tool, schema) if wanted else None
    if projection is not None:
        function["parameters"] = projection.schema
        function["strict"] = True
    else:
        projection = for_chat_completions(schema)
        function["parameters"] = projection.schema
        if wanted is False:
            function["strict"] = False
    for note in projection.notes:
        _log.debug("Tool %r as openai-chat: %s", tool.name, note)
    return {"type": "function", "function": function}


def _strict(tool: ToolDefinition, schema: Mapping[str, Any]) -> Projection | None:
    projection = strict_projection(schema)
    if not projection.refused:
        return projection
    reasons = "; ".join(projection.refused)
    if tool.strict:
        raise ConfigurationError(
            f"Tool {tool.name!r} cannot be strict: {reasons}. "
            "Declare these parts exactly, or leave strict out."
        )
    _log.info("Tool %r is sent without strict: %s", tool.name, reasons)
    return None


def response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Holds the answer to a schema: strictly where it can be, else with the schema as it is."""
    projection = strict_projection(schema)
    held: dict[str, Any] = {"name": "answer", "schema": schema}
    if not projection.refused:
        held |= {"strict": True, "schema": projection.schema}
    return {"type": "json_schema", "json_schema": held}
