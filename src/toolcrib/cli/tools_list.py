"""`toolcrib tools list`: the names of tools, what they take, and what they are for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from cyclopts import Parameter

from toolcrib.cli.console import Screen, one_line
from toolcrib.cli.target import listed_tools
from toolcrib.tools.definition import ToolDefinition

__all__ = ["list_tools", "type_words"]


def list_tools(
    *target: Annotated[str, Parameter(help="MODULE:THING, one or more.", required=True)],
    json: Annotated[bool, Parameter(help="Print definitions as JSON.")] = False,
) -> int:
    """List tools as a model sees them.

    Examples:
      toolcrib tools list shop.tools:TOOLS
      toolcrib tools list shop:agent billing:tools --json
    """
    screen = Screen()
    definitions = [one.tool.definition for one in listed_tools(target)]
    if json:
        screen.json([definition.to_dict() for definition in definitions])
        return 0
    for definition in definitions:
        effect = f"  [{definition.effect}]" if definition.effect else ""
        screen.say_pieces(
            (definition.name, "bold cyan"), (_takes(definition), ""), (effect, "yellow")
        )
        if definition.description:
            screen.say(f"    {one_line(definition.description.splitlines()[0])}", "dim")
    return 0


def _takes(definition: ToolDefinition) -> str:
    schema = definition.input_schema or {}
    properties: Mapping[str, Any] = schema.get("properties") or {}
    required = schema.get("required") or ()
    taken = (
        f"{name}{'' if name in required else '?'}: {type_words(one)}"
        for name, one in properties.items()
    )
    return f"({', '.join(taken)})"


def type_words(schema: Any) -> str:
    """The type that a schema describes, in a few words."""
    if not isinstance(schema, Mapping):
        return "anything"
    if "enum" in schema:
        return "|".join(str(value) for value in schema["enum"][:6]) + (
            "|…" if len(schema["enum"]) > 6 else ""
        )
    if "const" in schema:
        return str(schema["const"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return "|".join(dict.fromkeys(type_words(one) for one in schema[key]))
    kind = schema.get("type")
    if kind == "array" and "items" in schema:
        return f"[{type_words(schema['items'])}]"
    if isinstance(kind, list):
        return "|".join(map(str, kind))
    return str(kind or "anything")
