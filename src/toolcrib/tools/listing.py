"""What an author lists in `tools=[…]`, as toolsets that a run can ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolcrib.errors import ConfigurationError
from toolcrib.tools.catalog import Catalog
from toolcrib.tools.context import RunContext
from toolcrib.tools.methods import as_tools
from toolcrib.tools.tool import Tool
from toolcrib.tools.toolset import StaticToolset, Toolset

__all__ = ["as_toolsets", "asked", "known_tools"]


def as_toolsets(items: Iterable[Any]) -> tuple[Toolset, ...]:
    """The toolsets of a list, in its order; tools that stand side by side become one static toolset.

    Raises `ConfigurationError` for what is no tool, and for a name from two origins that can be seen now.
    """
    toolsets: list[Toolset] = []
    loose: list[Tool] = []
    for item in as_tools(items):
        if isinstance(item, Tool):
            loose.append(item)
            continue
        if loose:
            toolsets.append(StaticToolset(loose))
            loose = []
        toolsets.append(item)
    if loose:
        toolsets.append(StaticToolset(loose))
    known_tools(toolsets)
    return tuple(toolsets)


def known_tools(toolsets: Iterable[Toolset]) -> Catalog:
    """The tools that are known without asking anybody."""
    catalog = Catalog.EMPTY
    for toolset in toolsets:
        if isinstance(toolset, StaticToolset):
            catalog = catalog.grown(toolset, toolset.listed)
    return catalog


async def asked(toolset: Toolset, context: RunContext) -> Sequence[Tool]:
    """What a toolset lists now. Raises `ConfigurationError` for what is no list of tools."""
    listing: Any = toolset.tools(context)
    if not hasattr(listing, "__await__"):
        raise ConfigurationError(f"{toolset!r}: write `async def tools(self, context)`.")
    tools: Sequence[Tool] = await listing
    for one in tools:
        if not isinstance(one, Tool):
            raise ConfigurationError(
                f"{toolset!r} lists {one!r:.80}, which is no Tool; list tool(function) instead, made once."
            )
    return tools
