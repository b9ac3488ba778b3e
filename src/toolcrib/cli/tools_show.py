"""`toolcrib tools show`: everything about tools: description, parameters, schemas, options, origin."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from cyclopts import Parameter

from toolcrib.cli.console import Screen, UsageProblem, shortened
from toolcrib.cli.target import listed_tools
from toolcrib.cli.tools_list import type_words
from toolcrib.tools.catalog import Listed
from toolcrib.tools.tool import ToolOptions

__all__ = ["chosen", "show_tools"]


def show_tools(
    target: Annotated[str, Parameter(help="MODULE:THING.")],
    /,
    *name: Annotated[str, Parameter(help="Names of tools; all tools by default.")],
    json: Annotated[bool, Parameter(help="Print definitions as JSON.")] = False,
) -> int:
    """Show tools in full: what a model is told, and how they are run.

    Examples:
      toolcrib tools show shop.tools:get_price
      toolcrib tools show shop:agent refund --json
    """
    screen = Screen()
    tools = listed_tools([target])
    tools = tuple(chosen(tools, one, target) for one in name) if name else tools
    if json:
        screen.json([one.tool.definition.to_dict() for one in tools])
        return 0
    for place, one in enumerate(tools):
        if place:
            screen.say()
        _show(screen, one)
    return 0


def chosen(tools: Sequence[Listed], name: str, target: str) -> Listed:
    """The tool of that name. Raises `UsageProblem` with the nearest names."""
    names = {one.name: one for one in tools}
    if name in names:
        return names[name]
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or list(names)[:10]
    raise UsageProblem(f"{target} has no tool {name!r}; it has {', '.join(close) or 'none'}.")


def _show(screen: Screen, one: Listed) -> None:
    definition = one.tool.definition
    screen.say(definition.name, "bold cyan")
    screen.say(f"  from {one.origin}", "dim")
    for line in (definition.description or "(no description)").splitlines():
        screen.say(f"  {line}")
    schema = definition.input_schema or {}
    required = schema.get("required") or ()
    for name, parameter in (schema.get("properties") or {}).items():
        _show_parameter(screen, name, parameter, name in required)
    facts = _facts(one)
    if facts:
        screen.say(f"  {', '.join(facts)}", "dim")


def _show_parameter(screen: Screen, name: str, schema: Any, required: bool) -> None:
    held: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    default = f" = {shortened(repr(held['default']), 60)}" if "default" in held else ""
    optional = "" if required else "  (optional)"
    screen.say_pieces(
        (f"  - {name}", "bold"), (f": {type_words(schema)}{default}", "green"), (optional, "dim")
    )
    for line in str(held.get("description") or "").splitlines():
        screen.say(f"      {line}")


def _facts(one: Listed) -> list[str]:
    """Whatever is not as usual."""
    definition, usual = one.tool.definition, ToolOptions()
    said = {
        key: value
        for key, value in definition.to_dict().items()
        if key not in ("name", "description", "input_schema", "output_schema")
    }
    for field in dataclasses.fields(ToolOptions):
        value = getattr(one.tool.options, field.name)
        if value != getattr(usual, field.name):
            said[field.name] = value
    return [f"{key}={value!r}" for key, value in said.items()]
